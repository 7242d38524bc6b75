import type { KubeObject } from '@chandlery/api';
import type { Informer, WatchSource } from '@chandlery/runtime';
import { isDeleting } from '@chandlery/runtime';
import { type Provider, providerNames } from '../../kinds/index.ts';
import { tenantNamespaceRole } from '../../model/operator/access-objects.ts';
import { type DefinitionCluster, isHeldIn } from '../../model/operator/held-definitions.ts';
import { type Crd, resourcesOf } from '../../model/operator/own-kinds.ts';
import { type ProviderClass, providerClasses } from '../../model/operator/provider-class.ts';
import { managedByValue, namesOf } from '../../model/operator/provider-names.ts';
import type { OperatorContext } from './operator-context.ts';

const nameOf = ({ metadata }: KubeObject): string => metadata.name ?? '';

/** Maps changed objects to the providers of one kind. */
export function relatedSources(context: OperatorContext, providerClass: ProviderClass): readonly WatchSource[] {
  const providers = context.providers(providerClass);
  const made = makerKeys(providers, providerClass);
  const keysWhere = (isMeant: (provider: Provider) => boolean): string[] =>
    providers.list().filter(isMeant).map(nameOf);
  const byLabel = (object: KubeObject): string[] => {
    const value = object.metadata.labels?.[providerNames.managedByLabel];
    return keysWhere(provider => managedByValue(nameOf(provider)) === value);
  };
  const byHeld = (definition: Crd, cluster: DefinitionCluster): string[] =>
    context.held.list().flatMap(object => (isHeldIn(object, cluster, nameOf(definition)) ? made(object) : []));
  const onPlatform = (definition: Crd): string[] => [...byLabel(definition), ...byHeld(definition, 'platform')];
  const byKind = (definition: Crd): string[] => [
    ...byLabel(definition),
    ...byHeld(definition, 'onboarding'),
    ...keysWhere(provider => reports(provider, definition)),
  ];
  const bySecret = (secret: KubeObject): string[] =>
    keysWhere(provider => namesOf(providerClass, nameOf(provider)).webhookTls === secret.metadata.name);
  return [
    ...[context.jobs, context.deployments, context.pods, context.held, ...context.made].map(informer => ({
      informer,
      mapToKeys: made,
    })),
    ...context.requests.map(informer => ({ informer, mapToKeys: byLabel })),
    ...(context.leases === undefined ? [] : [{ informer: context.leases, mapToKeys: byLabel }]),
    { informer: context.platformDefinitions, mapToKeys: onPlatform },
    { informer: context.onboardingDefinitions, mapToKeys: byKind },
    { informer: context.secrets, mapToKeys: bySecret },
    ...namesakes(context, providerClass),
    ...(providerClass.prefix === 'cp' ? clusterSources(context, () => keysWhere(isDeleting)) : []),
  ];
}

/** Providers of other kinds: when an older one of the same name is deleted, the younger one can be installed. */
const namesakes = (context: OperatorContext, { kind }: ProviderClass): readonly WatchSource[] =>
  providerClasses
    .filter(other => other.kind !== kind)
    .map(other => ({ informer: context.providers(other), mapToKeys: provider => [nameOf(provider)] }));

/** Objects that block the removal of cluster providers. */
export const clusterSources = (context: OperatorContext, mapToKeys: () => readonly string[]): readonly WatchSource[] =>
  [context.clusters, context.accessRequests, context.profiles as Informer].map(informer => ({ informer, mapToKeys }));

/**
 * Maps objects that the operator created to their provider; the role for namespaces of control planes belongs to all.
 */
const makerKeys =
  (providers: Informer<Provider>, { kind }: ProviderClass) =>
  ({ metadata: { name, annotations = {} } }: KubeObject): string[] => {
    if (name === tenantNamespaceRole) return providers.list().map(nameOf);
    const maker = annotations[providerNames.providerNameAnnotation];
    return maker !== undefined && annotations[providerNames.providerKindAnnotation] === kind.kind ? [maker] : [];
  };

const reports = (provider: Provider, { spec }: Crd): boolean =>
  resourcesOf(provider).some(({ group, kind }) => group === spec?.group && kind === spec.names.kind);
