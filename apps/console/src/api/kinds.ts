import { requestJson } from './request.ts';

/** A kind that a cluster serves, in its preferred version. */
export interface ServedKind {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  readonly isNamespaced: boolean;
  readonly verbs: readonly string[];
  readonly shortNames: readonly string[];
  readonly subresources: readonly string[];
}

interface GroupDiscovery {
  readonly metadata?: { readonly name?: string };
  readonly versions?: readonly {
    readonly version: string;
    readonly resources?: readonly {
      readonly resource: string;
      readonly responseKind?: { readonly kind?: string };
      readonly scope?: string;
      readonly shortNames?: readonly string[];
      readonly verbs?: readonly string[];
      readonly subresources?: readonly { readonly subresource: string }[];
    }[];
  }[];
}

const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

/** The kinds of a cluster that can be listed, sorted by group and name. */
export async function discoverKinds(cluster: string, signal?: AbortSignal): Promise<readonly ServedKind[]> {
  const options = { headers: { accept }, ...(signal && { signal }) };
  const documents = await Promise.all(
    ['api', 'apis'].map(root =>
      requestJson<{ items?: readonly GroupDiscovery[] }>(`${clusterPath(cluster)}/${root}`, options),
    ),
  );
  return documents.flatMap(({ items = [] }) => items.flatMap(kindsOfGroup)).toSorted(byGroupAndName);
}

/** Each resource once, in the first version that has it: servers list the preferred one first. */
function kindsOfGroup({ metadata, versions = [] }: GroupDiscovery): readonly ServedKind[] {
  const found = new Map<string, ServedKind>();
  for (const { version, resources = [] } of versions)
    for (const { resource, responseKind, scope, shortNames = [], verbs = [], subresources = [] } of resources) {
      if (found.has(resource) || !verbs.includes('list')) continue;
      found.set(resource, {
        group: metadata?.name ?? '',
        version,
        plural: resource,
        kind: responseKind?.kind ?? resource,
        isNamespaced: scope === 'Namespaced',
        verbs,
        shortNames,
        subresources: subresources.map(({ subresource }) => subresource),
      });
    }
  return [...found.values()];
}

const byGroupAndName = (one: ServedKind, other: ServedKind): number =>
  one.group.localeCompare(other.group) || one.kind.localeCompare(other.kind);

export const clusterPath = (cluster: string): string => `/clusters/${encodeURIComponent(cluster)}`;

export type KindAddress = Pick<ServedKind, 'group' | 'version' | 'plural'>;

/** The path of a collection; without a namespace, of all namespaces. */
export function collectionPath(cluster: string, { group, version, plural }: KindAddress, namespace = ''): string {
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  const place = namespace === '' ? '' : `/namespaces/${encodeURIComponent(namespace)}`;
  return `${clusterPath(cluster)}${root}${place}/${plural}`;
}

/** The path of one object. */
export const objectPath = (cluster: string, kind: KindAddress, { namespace = '', name }: ObjectName): string =>
  `${collectionPath(cluster, kind, namespace)}/${encodeURIComponent(name)}`;

export interface ObjectName {
  /** Empty or undefined for cluster-scoped objects. */
  readonly namespace?: string;
  readonly name: string;
}

/** The kind of an object that names itself, in whichever version. */
export function kindOfObject(
  kinds: readonly ServedKind[],
  { apiVersion, kind }: { readonly apiVersion?: string; readonly kind?: string },
): ServedKind | undefined {
  const group = apiVersion?.includes('/') ? apiVersion.split('/')[0] : '';
  return kinds.find(served => served.kind === kind && served.group === group);
}
