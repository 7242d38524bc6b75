import { type GroupVersionKind, isError, type KubeObject, parseApiVersion } from '@chandlery/api';
import type { Client, ObjectRef, ResourceRef } from '@chandlery/client';
import type { ResourceEntry } from './managed-objects.ts';

const crds: ResourceRef = { group: 'apiextensions.k8s.io', version: 'v1', plural: 'customresourcedefinitions' };

/** Plurals that are not the kind in lower case followed by an s. */
const irregularPlurals: Readonly<Record<string, string>> = {
  Endpoints: 'endpoints',
  Ingress: 'ingresses',
  IngressClass: 'ingressclasses',
  NetworkPolicy: 'networkpolicies',
  PriorityClass: 'priorityclasses',
  RuntimeClass: 'runtimeclasses',
  StorageClass: 'storageclasses',
  Gateway: 'gateways',
  GatewayClass: 'gatewayclasses',
  ValidatingAdmissionPolicy: 'validatingadmissionpolicies',
};

/** Groups that every cluster serves, in their one stable version. */
const builtInGroups: Readonly<Record<string, string>> = {
  '': 'v1',
  apps: 'v1',
  batch: 'v1',
  autoscaling: 'v2',
  policy: 'v1',
  'rbac.authorization.k8s.io': 'v1',
  'networking.k8s.io': 'v1',
  'apiextensions.k8s.io': 'v1',
  'admissionregistration.k8s.io': 'v1',
  'storage.k8s.io': 'v1',
  'scheduling.k8s.io': 'v1',
  'coordination.k8s.io': 'v1',
};

export const pluralOf = (kind: string): string => irregularPlurals[kind] ?? `${kind.toLowerCase()}s`;

/** Where an object is served. */
export function objectRef({ apiVersion, kind, metadata }: KubeObject, plural = pluralOf(kind)): ObjectRef {
  const { group, version } = parseApiVersion(apiVersion) ?? { group: '', version: apiVersion };
  const { name = '', namespace } = metadata;
  return { group, version, plural, name, ...(namespace ? { namespace } : {}) };
}

/** The collection over all namespaces. */
export const collectionOf = ({ group, version, plural }: ResourceRef): ResourceRef => ({ group, version, plural });

/** Identifies a kind. Versions are views of the same objects, so that they do not count. */
export const kindId = ({ group, plural }: ResourceRef): string => `${plural}.${group}`;

export const placeOf = ({ namespace, name }: { namespace?: string | undefined; name?: string }): string =>
  namespace ? `${namespace}/${name}` : (name ?? '');

/** Finds the collection of a kind by group and name; undefined when the cluster does not serve it. */
export async function findKind(
  client: Client,
  { apiGroup, kind }: Pick<ResourceEntry, 'apiGroup' | 'kind'>,
  signal: AbortSignal,
): Promise<ResourceRef | undefined> {
  const version = builtInGroups[apiGroup];
  if (version !== undefined) return { group: apiGroup, version, plural: pluralOf(kind) };
  try {
    for await (const crd of client.listAll(crds, { signal })) {
      const found = servedBy(crd, { group: apiGroup, kind });
      if (found !== undefined) return found;
    }
  } catch (error) {
    if (!isError(error, 'NotFound', 'Forbidden')) throw error;
  }
  return undefined;
}

interface CrdSpec {
  readonly group: string;
  readonly names: { readonly kind: string; readonly plural: string };
  readonly versions: readonly { readonly name: string; readonly served: boolean }[];
}

function servedBy(crd: KubeObject, { group, kind }: Pick<GroupVersionKind, 'group' | 'kind'>): ResourceRef | undefined {
  const { group: ofGroup, names, versions } = crd['spec'] as CrdSpec;
  const version = versions.find(({ served }) => served)?.name;
  if (ofGroup !== group || names.kind !== kind || version === undefined) return undefined;
  return { group, version, plural: names.plural };
}
