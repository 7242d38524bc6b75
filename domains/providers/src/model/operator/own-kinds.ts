import { isKubernetesGroup, type KubeObject } from '@chandlery/api';
import { brokersGroup } from '@chandlery/brokers/kinds';
import { clusters, hostImages } from '@chandlery/clusters/kinds';
import { meshKinds, meshServedKinds } from '@chandlery/mesh/kinds';
import { ordersGroup } from '@chandlery/orders/kinds';
import { isConditionTrue } from '@chandlery/runtime';
import {
  chandleryTenantsGroup,
  controlPlaneConfigs,
  controlPlanes,
  type Provider,
  providerNames,
  providersGroup,
  tenantsGroup,
} from '../../kinds/index.ts';
import { managedByValue } from './provider-names.ts';

/** A CustomResourceDefinition, as far as it is read here. */
export interface Crd extends KubeObject {
  spec?: {
    readonly group: string;
    readonly names: { readonly kind: string; readonly plural: string };
    readonly scope?: string;
    readonly versions: readonly { readonly name: string; readonly served: boolean }[];
  };
}

/** The collection of a kind, and its name. */
export interface ServedKind {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
}

/** The groups of the landscape's own kinds, those of the mesh and of SMI among them. */
export const landscapeGroups: ReadonlySet<string> = new Set([
  providersGroup,
  tenantsGroup,
  controlPlanes.group,
  controlPlaneConfigs.group,
  chandleryTenantsGroup,
  clusters.group,
  hostImages.group,
  brokersGroup,
  ordersGroup,
  ...[...meshKinds, ...meshServedKinds].map(({ group }) => group),
]);

/** The landscape's own kinds and those of Kubernetes: no label makes them a provider's. */
export const isReserved = (group: string): boolean =>
  landscapeGroups.has(group) || !group.includes('.') || isKubernetesGroup(group);

/** The definitions that a provider's init has installed and labelled. */
export function ownDefinitions(definitions: readonly Crd[], providerName: string): readonly Crd[] {
  const value = managedByValue(providerName);
  return definitions.filter(
    ({ metadata, spec }) =>
      metadata.labels?.[providerNames.managedByLabel] === value && spec !== undefined && !isReserved(spec.group),
  );
}

type Resource = NonNullable<NonNullable<Provider['status']>['resources']>[number];

/** The kinds that a provider reports for tenants. */
export const resourcesOf = ({ status }: Provider): readonly Resource[] => status?.resources ?? [];

/** The kinds that are reported but not served, sorted. */
export const missingKinds = (resources: readonly Resource[], definitions: readonly Crd[]): readonly string[] =>
  resources
    .filter(({ group, version, kind }) => {
      const definition = definitions.find(({ spec }) => spec?.group === group && spec.names.kind === kind);
      return definition === undefined || !isServed(definition, version);
    })
    .map(({ group, version, kind }) => `${kind} (${group}/${version})`)
    .sort();

const isServed = (definition: Crd, version: string): boolean =>
  isConditionTrue(definition, 'Established') &&
  (definition.spec?.versions.some(({ name, served }) => name === version && served) ?? false);

/**
 * The kinds whose objects need the provider: those that it reports and those that it has installed, in one version each.
 * Kinds that are not served have no objects.
 */
export function tenantKinds(provider: Provider, definitions: readonly Crd[]): readonly ServedKind[] {
  const own = new Set(ownDefinitions(definitions, provider.metadata.name ?? ''));
  const isReported = ({ spec }: Crd): boolean =>
    resourcesOf(provider).some(({ group, kind }) => group === spec?.group && kind === spec.names.kind);
  return definitions
    .filter(definition => own.has(definition) || isReported(definition))
    .flatMap(servedKind)
    .sort(byKind);
}

/** The kinds that a provider has installed, in one version each. */
export const ownKinds = (definitions: readonly Crd[], providerName: string): readonly ServedKind[] =>
  ownDefinitions(definitions, providerName).flatMap(servedKind).sort(byKind);

const byKind = (a: ServedKind, b: ServedKind): number => (`${a.kind}.${a.group}` < `${b.kind}.${b.group}` ? -1 : 1);

/** The cluster-scoped kinds that a provider has installed, among them that of its configuration. */
export const ownClusterKinds = (definitions: readonly Crd[], providerName: string): readonly ServedKind[] =>
  ownKinds(
    definitions.filter(({ spec }) => spec?.scope === 'Cluster'),
    providerName,
  );

/** Protects a configuration while services use it. It has no meaning without services and provider. */
export const inUseFinalizer = ({ group }: Pick<ServedKind, 'group'>): string => `${group}/in-use`;

/** Whether an object has finalizers that only its provider can remove. */
export const isHeld = ({ metadata }: KubeObject, kind: ServedKind): boolean =>
  metadata.finalizers?.some(finalizer => finalizer !== inUseFinalizer(kind)) ?? false;

function servedKind({ spec }: Crd): ServedKind[] {
  const version = spec?.versions.find(({ served }) => served)?.name;
  if (spec === undefined || version === undefined) return [];
  return [{ group: spec.group, version, plural: spec.names.plural, kind: spec.names.kind }];
}
