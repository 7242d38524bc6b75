import type { GroupVersionKind, KindDeclaration } from '@chandlery/api';
import { type ServedResource, type ServedSubresource, servedResources } from './served-resource.ts';
import { compareGroups } from './well-known-groups.ts';

/** The kinds of a logical cluster, as far as documents are concerned; the kernel's ClusterKinds is one. */
export interface KindSource {
  /** Equal for clusters that serve the same kinds. */
  readonly signature: string;
  all(): Iterable<{ readonly kind: { readonly declaration: KindDeclaration } }>;
  /** Groups with their served versions in order of preference. */
  groups(): ReadonlyMap<string, readonly string[]>;
}

/** Everything that a logical cluster serves, in the order in which discovery lists it. */
export type DiscoveryGroups = readonly DiscoveryGroup[];

export interface DiscoveryGroup {
  readonly name: string;
  /** In order of preference. */
  readonly versions: readonly DiscoveryVersion[];
}

export interface DiscoveryVersion {
  readonly group: string;
  readonly version: string;
  /** By plural. */
  readonly resources: readonly ServedResource[];
}

/**
 * Orders what a cluster serves.
 *
 * `reviews` are the kinds that are never stored. Those that have verbs of their own are listed too; those that are only the
 * bodies of sub-resources are not.
 */
export function discoveryGroupsOf(kinds: KindSource, reviews: readonly KindDeclaration[]): DiscoveryGroups {
  const stored = [...kinds.all()].flatMap(({ kind }) => servedResources(kind.declaration));
  const hidden = new Set(stored.flatMap(resource => [nameOf(resource), ...resource.subresources.map(bodyName)]));
  const asked = reviews.flatMap(servedResources).filter(({ verbs }) => verbs.length > 0);
  const resources = [...stored, ...asked.filter(resource => !hidden.has(nameOf(resource)))];
  const preference = kinds.groups();
  return [...Map.groupBy(resources, resource => resource.group)]
    .sort(([a], [b]) => compareGroups(a, b))
    .map(([group, members]) => discoveryGroup(group, members, preference.get(group) ?? []));
}

const nameOf = ({ group, version, kind }: GroupVersionKind): string => `${group}/${version}/${kind}`;

const bodyName = ({ responseKind }: ServedSubresource): string => nameOf(responseKind);

function discoveryGroup(
  name: string,
  resources: readonly ServedResource[],
  preference: readonly string[],
): DiscoveryGroup {
  const byVersion = Map.groupBy(resources, resource => resource.version);
  const order = new Set([...preference, ...byVersion.keys()]);
  const versions = [...order].map(version => ({
    group: name,
    version,
    resources: (byVersion.get(version) ?? []).toSorted((a, b) => (a.plural < b.plural ? -1 : 1)),
  }));
  return { name, versions: versions.filter(version => version.resources.length > 0) };
}
