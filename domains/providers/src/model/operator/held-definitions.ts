import { gunzipSync, gzipSync } from 'node:zlib';
import { type KubeObject, parseJson } from '@chandlery/api';
import { hash8, systemNamespace } from '@chandlery/clusters/kinds';
import { isDeleting, isSameJson } from '@chandlery/runtime';
import { type Provider, providerNames } from '../../kinds/index.ts';
import type { Crd } from './own-kinds.ts';
import type { ProviderClass } from './provider-class.ts';
import { annotationsOf, labelsOf, namesOf } from './provider-names.ts';

/** The cluster of a definition. */
export type DefinitionCluster = 'platform' | 'onboarding';

/** A definition as a provider's init left it, from which the operator restores it. */
export interface HeldDefinition {
  readonly cluster: DefinitionCluster;
  /** The provider's name. */
  readonly provider: string;
  /** The run of init that it is from. */
  readonly init: string;
  readonly definition: Crd;
}

/** The key of a run of init that was not run by the operator. */
export const initElsewhere = 'elsewhere';

/** The ConfigMap that stores a definition: compressed, since definitions may be as large as objects may be. */
export function buildHeld(
  providerClass: ProviderClass,
  provider: Provider,
  { cluster, init, definition }: Omit<HeldDefinition, 'provider'>,
): KubeObject {
  const { name = '' } = provider.metadata;
  const held = gzipSync(JSON.stringify(essenceOf(definition))).toString('base64');
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: `${namesOf(providerClass, name).run}-api-${hash8(cluster, definition.metadata.name ?? '')}`,
      namespace: systemNamespace,
      labels: labelsOf(providerClass, name),
      annotations: annotationsOf(provider),
    },
    data: { cluster, init, name: definition.metadata.name ?? '' },
    binaryData: { [definitionKey]: held },
  };
}

const definitionKey = 'definition.json.gz';

/** Reads what {@link buildHeld} built; undefined for other ConfigMaps and for invalid content. */
export function readHeld({ metadata, ...rest }: KubeObject): HeldDefinition | undefined {
  const { cluster = '', init = '' } = (rest['data'] ?? {}) as Readonly<Record<string, string>>;
  const { [definitionKey]: held } = (rest['binaryData'] ?? {}) as Readonly<Record<string, string>>;
  const provider = metadata.annotations?.[providerNames.providerNameAnnotation];
  if (held === undefined || provider === undefined || (cluster !== 'platform' && cluster !== 'onboarding'))
    return undefined;
  try {
    const definition = parseJson(gunzipSync(Buffer.from(held, 'base64')).toString()) as Crd;
    return { cluster, provider, init, definition };
  } catch {
    return undefined;
  }
}

/** Whether a ConfigMap stores this definition; without unpacking it. */
export function isHeldIn(object: KubeObject, cluster: DefinitionCluster, definition: string): boolean {
  const data = (object['data'] ?? {}) as Readonly<Record<string, string>>;
  return data['cluster'] === cluster && data['name'] === definition;
}

/** The part of a definition that its provider decides, and its field managers. */
function essenceOf({ apiVersion, kind, metadata, spec }: Crd): Crd {
  const { name, labels, annotations = {}, ownerReferences, managedFields } = metadata;
  const { [providerNames.confirmDeletionAnnotation]: _, ...kept } = annotations;
  const essence = { name, labels, annotations: kept, ownerReferences, managedFields };
  const known = Object.entries(essence).filter(([, value]) => value !== undefined);
  return { apiVersion, kind, metadata: Object.fromEntries(known), ...(spec && { spec }) };
}

/** How a definition differs from what init left. `leaving`: it is being deleted, with confirmation. */
export type Deviation = 'missing' | 'leaving' | 'changed';

export function deviationOf({ definition }: HeldDefinition, live: Crd | undefined): Deviation | undefined {
  if (live === undefined) return 'missing';
  if (isDeleting(live)) return 'leaving';
  const hasLabels = Object.entries(definition.metadata.labels ?? {}).every(
    ([label, value]) => live.metadata.labels?.[label] === value,
  );
  const isSame =
    hasLabels &&
    isSameJson(live.spec, definition.spec) &&
    isSameJson(live.metadata.ownerReferences ?? [], definition.metadata.ownerReferences ?? []);
  return isSame ? undefined : 'changed';
}

/** The definition to be stored in place of the live one, or of none; managedFields are restored after it. */
export function putBackBody({ definition }: HeldDefinition, live: Crd | undefined): Crd {
  const { managedFields: _, ...metadata } = definition.metadata;
  if (live === undefined) return { ...definition, metadata };
  const { managedFields: __, ...now } = live.metadata;
  const { ownerReferences = [], labels } = metadata;
  return { ...live, ...definition, metadata: { ...now, labels: { ...now.labels, ...labels }, ownerReferences } };
}

/**
 * Whether the provider itself installed a definition, as its init does when it is run by hand: no other manager has
 * written its spec.
 */
export function isInstalledBy({ metadata: { managedFields = [] } }: Crd, manager: string): boolean {
  const writers = managedFields.filter(({ fieldsV1, subresource }) => !subresource && fieldsV1 && 'f:spec' in fieldsV1);
  return writers.length > 0 && writers.every(writer => writer.manager === manager);
}
