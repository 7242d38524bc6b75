import { shorten } from '../../kinds/hashed-names.ts';
import type { AccessRequest, Cluster, ClusterProfile, ClusterRequest } from '../../kinds/index.ts';
import { clusterNames } from '../../kinds/names.ts';

/** The verdict about a request before its provider serves it. */
export type Verdict =
  | { readonly type: 'accepted' }
  /** The request waits for something. */
  | { readonly type: 'waiting'; readonly reason: string; readonly message: string }
  /** The request needs a change by its owner. */
  | { readonly type: 'refused'; readonly reason: string; readonly message: string };

export type AccessPhase = 'Pending' | 'Granted' | 'Denied';

interface Ref {
  readonly name: string;
  readonly namespace: string;
}

/** Providers may write requests; one for this cluster would give them more rights than their roles there. */
const platformPurpose = 'platform';

const at = ({ namespace, name }: Ref): string => `"${namespace}/${name}"`;

/** The cluster of a ClusterRequest, or why there is none. */
export function judgeRequest(ref: Ref, found: ClusterRequest | undefined): { readonly cluster: Ref } | Verdict {
  if (found === undefined) {
    return waiting('ClusterRequestNotFound', `There is no ClusterRequest ${at(ref)}; create it, or name another one.`);
  }
  const { phase, cluster } = found.status ?? {};
  if (phase === 'Denied') {
    const why = readyMessage(found) ?? 'its conditions explain why no cluster serves its purpose.';
    return rejected('ClusterRequestDenied', `The ClusterRequest ${at(ref)} is denied: ${why}`);
  }
  if (phase !== 'Granted' || cluster === undefined) {
    return waiting('ClusterRequestPending', `The ClusterRequest ${at(ref)} has no cluster yet; see its conditions.`);
  }
  return { cluster: { name: cluster.name, namespace: cluster.namespace } };
}

/** The labels that name a request's provider, or why there are none. */
export function judgeProvider(
  ref: Ref,
  cluster: Cluster | undefined,
  profile: ClusterProfile | undefined,
): { readonly labels: Readonly<Record<string, string>> } | Verdict {
  if (cluster === undefined) {
    return rejected('ClusterNotFound', `There is no Cluster ${at(ref)}; delete this request, or create the cluster.`);
  }
  if (cluster.spec.purposes.includes(platformPurpose)) {
    const text = `The Cluster ${at(ref)} is the platform itself, to which requests give no access.`;
    return rejected('PlatformCluster', `${text} Its operators give rights there with roles of Kubernetes.`);
  }
  const provider = profile?.spec.providerRef.name ?? cluster.metadata.labels?.[clusterNames.providerLabel];
  if (provider === undefined) {
    const text = `The ClusterProfile "${cluster.spec.profile}" of the Cluster ${at(ref)} does not exist.`;
    return waiting('ClusterProfileNotFound', `${text} Its cluster provider creates it.`);
  }
  return {
    labels: {
      [clusterNames.providerLabel]: shorten(provider),
      [clusterNames.profileLabel]: shorten(cluster.spec.profile),
    },
  };
}

/** Whether a cluster can be used. One that served the request before may be temporarily not ready. */
export function judgeCluster(ref: Ref, cluster: Cluster, hasServed: boolean): Verdict {
  if (isVanishing(cluster)) {
    return waiting('ClusterDeleting', `The Cluster ${at(ref)} is being deleted; delete this request as well.`);
  }
  if (!hasServed && !isReady(cluster)) {
    const why = readyMessage(cluster) ?? 'see its conditions.';
    return waiting('ClusterNotReady', `The Cluster ${at(ref)} is not ready yet: ${why}`);
  }
  return { type: 'accepted' };
}

/** Whether a cluster is being deleted and only its provider has a finalizer: its content is deleted with it. */
export function isVanishing({ metadata }: Cluster): boolean {
  if (metadata.deletionTimestamp === undefined) return false;
  return (metadata.finalizers ?? []).every(finalizer => finalizer === clusterNames.clusterFinalizer);
}

/** The current state of a request. */
export interface Standing {
  readonly phase: string | undefined;
  /** Whether the status refers to the current spec. */
  readonly isCurrent: boolean;
  readonly wasAccepted: boolean;
  /** A reconcile was requested. */
  readonly isRequested: boolean;
}

/**
 * The phase that follows from a verdict. The provider's phase of an accepted request (granted, denied) stays until the
 * spec changes, or a reconcile of a denied one is requested.
 */
export function phaseAfter(verdict: Verdict, standing: Standing): AccessPhase {
  switch (verdict.type) {
    case 'refused':
      return 'Denied';
    case 'waiting':
      return 'Pending';
    case 'accepted':
      return hasAnswer(standing) ? standing.phase : 'Pending';
  }
}

function hasAnswer(standing: Standing): standing is Standing & { phase: 'Granted' | 'Denied' } {
  const { phase, isCurrent, wasAccepted, isRequested } = standing;
  if (!isCurrent || !wasAccepted) return false;
  return phase === 'Granted' || (phase === 'Denied' && !isRequested);
}

/**
 * Whether a cluster provider may serve a request: it is accepted, its labels name the provider, it is not denied, and a
 * grant refers to the current spec. A request that is being deleted is always its provider's.
 */
export function mayServe(request: AccessRequest, provider: string): boolean {
  const { labels = {}, finalizers = [], deletionTimestamp, generation } = request.metadata;
  const owner = labels[clusterNames.providerLabel];
  if (deletionTimestamp !== undefined) {
    return finalizers.includes(clusterNames.accessFinalizer) && (owner === undefined || owner === shorten(provider));
  }
  if (owner !== shorten(provider) || labels[clusterNames.profileLabel] === undefined) return false;
  const { phase, observedGeneration } = request.status ?? {};
  const isOpen = phase === 'Pending' || (phase === 'Granted' && observedGeneration === generation);
  return isOpen && isAccepted(request);
}

/** The condition of the verdict. */
export const acceptedCondition = 'Accepted';

export const isAccepted = ({ status }: AccessRequest): boolean =>
  status?.conditions?.some(({ type, status }) => type === acceptedCondition && status === 'True') ?? false;

/** The message of an object's own readiness. */
const readyMessage = ({ status }: Cluster | ClusterRequest): string | undefined =>
  status?.conditions?.find(({ type }) => type === 'Ready')?.message;

const isReady = ({ status }: Cluster): boolean =>
  status?.phase === 'Ready' ||
  (status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false);

const waiting = (reason: string, message: string): Verdict => ({ type: 'waiting', reason, message });
const rejected = (reason: string, message: string): Verdict => ({ type: 'refused', reason, message });
