import type { Cluster } from '../../kinds/cluster.ts';
import type { ClusterProfile } from '../../kinds/cluster-profile.ts';
import type { Capability } from '../../kinds/common.ts';
import { builtInProviderName } from '../../kinds/names.ts';

type Capabilities = readonly Capability[];

const apiAlone: Capabilities = ['API'];
const apiAndRun: Capabilities = ['API', 'Run'];

/** The possible capabilities of each source's clusters, the default first. */
const offers: ReadonlyMap<string, readonly Capabilities[]> = new Map([
  ['logical', [apiAlone]],
  ['local', [apiAndRun]],
  ['external', [apiAndRun, apiAlone]],
]);

/** The capabilities of a profile's clusters. A missing profile counts as the source of its name. */
export function profileCapabilities(name: string, profile: ClusterProfile | undefined): Capabilities {
  return profile?.spec.capabilities ?? offers.get(sourceOf(name, profile))?.[0] ?? apiAndRun;
}

/** Sources of other providers are not known here. */
function sourceOf(name: string, profile: ClusterProfile | undefined): string {
  if (profile === undefined) return name;
  return profile.spec.providerRef.name === builtInProviderName ? profile.spec.providerConfigRef.name : '';
}

/** The capabilities of a cluster: as its provider reports, otherwise those of its profile. */
export const clusterCapabilities = ({ spec, status }: Cluster, profile: ClusterProfile | undefined): Capabilities =>
  status?.capabilities ?? profileCapabilities(spec.profile, profile);

/** A problem with the capabilities that a profile of ours declares; undefined without one. */
export function findCapabilityProblem({ metadata, spec }: ClusterProfile): string | undefined {
  const { capabilities: declared, providerConfigRef } = spec;
  const possible = offers.get(providerConfigRef.name);
  if (declared === undefined || possible === undefined) return undefined;
  if (possible.some(offer => isSameSet(offer, declared))) return undefined;
  const choices = possible.map(listCapabilities).join('; or ');
  return `The ClusterProfile "${metadata.name}" declares ${listCapabilities(declared)}, but clusters of the source "${providerConfigRef.name}" have ${choices}; change its spec.capabilities or its source.`;
}

const isSameSet = (left: Capabilities, right: Capabilities): boolean =>
  left.length === right.length && left.every(each => right.includes(each));

/** Capabilities as text. */
export const listCapabilities = (capabilities: Capabilities): string =>
  capabilities.length === 1 ? `${capabilities[0]} alone` : [...capabilities].sort().join(' and ');

/** The needed capabilities that are missing. */
export const missingCapabilities = (needed: Capabilities, present: Capabilities): Capabilities =>
  needed.filter(each => !present.includes(each));
