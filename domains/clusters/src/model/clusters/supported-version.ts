import type { Cluster } from '../../kinds/cluster.ts';
import type { ClusterProfile } from '../../kinds/cluster-profile.ts';

const bare = (version: string): string => version.replace(/^v/, '');

/**
 * A problem with the requested version of a cluster; undefined without one. A version without its patch number matches
 * any; a profile without versions accepts all.
 */
export function findVersionProblem({ spec }: Cluster, profile: ClusterProfile): string | undefined {
  const wanted = spec.kubernetes?.version;
  const supported = profile.spec.supportedVersions.map(({ version }) => bare(version));
  if (wanted === undefined || supported.length === 0) return undefined;
  if (supported.some(version => version === bare(wanted) || version.startsWith(`${bare(wanted)}.`))) return undefined;
  const known = supported.sort().join(', ');
  return `The profile "${spec.profile}" does not support Kubernetes ${wanted}; set spec.kubernetes.version to one of: ${known}.`;
}
