import type { StepResult } from '@chandlery/runtime';
import { providedCluster } from './cluster-deps.ts';
import type { ClusterDraft, ClusterStep } from './cluster-draft.ts';

const pollMs = 500;
const isLandscape = ({ row }: ClusterDraft): boolean => row.spec.providerType === 'landscape';

/** States in which the landscape keeps its agent running. */
const served: readonly (string | undefined)[] = ['cluster_provisioned', 'waiting_for_fleetshard_operator', 'ready'];

/** Needs the base of the cluster's routes, from its spec or from its provider. */
export const knowDns: ClusterStep = draft => {
  if (!served.includes(draft.status.state)) return 'continue';
  const dns = draft.row.spec.clusterDns ?? draft.status.clusterDns;
  if (dns === undefined) draft.lack('DnsKnown', 'Unknown', 'set spec.clusterDns: its provider does not know it');
  else draft.fulfil('DnsKnown', 'Known', dns);
  return dns === undefined && draft.status.state === 'cluster_provisioned' ? 'stop' : 'continue';
};

/** Agents of the landscape use its own tokens; those from outside have identities of their issuer. */
export const knowIdentity: ClusterStep = draft => {
  if (!served.includes(draft.status.state)) return 'continue';
  if (isLandscape(draft)) draft.fulfil('IdentityReady', 'LandscapeToken');
  else draft.fulfil('IdentityReady', 'AgentIssuer');
  return 'continue';
};

/** Gives the agent of the landscape access to the cluster, and makes it run. */
export const installAgent: ClusterStep = async (draft, { providers, installer }): Promise<StepResult> => {
  if (!served.includes(draft.status.state)) return 'continue';
  if (!isLandscape(draft)) {
    draft.fulfil('ResourcesApplied', 'NotManaged');
    draft.fulfil('AgentInstalled', 'NotManaged');
    return 'continue';
  }
  const cluster = providedCluster(draft.row);
  const kubeconfig = await providers.landscape.kubeconfig(cluster);
  // The agent of a ready cluster may be silent, whatever becomes of its installation.
  const otherwise: StepResult = draft.status.state === 'ready' ? 'continue' : { retryAfterMs: pollMs };
  if (kubeconfig === undefined) {
    draft.lack('ResourcesApplied', 'AccessPending', 'access to the cluster has not been granted yet');
    return otherwise;
  }
  draft.fulfil('ResourcesApplied', 'AccessGranted');
  const isInstalled = await installer.install(cluster, kubeconfig);
  if (isInstalled) draft.fulfil('AgentInstalled', 'Running');
  else draft.lack('AgentInstalled', 'Installing');
  // Its first report may come before its process is seen to run, and counts only in the next state.
  return 'continue';
};

/** Waits for the agent's report, which makes the cluster ready. */
export const awaitAgent: ClusterStep = draft => {
  if (draft.status.state === 'cluster_provisioned') draft.moveTo('waiting_for_fleetshard_operator');
  if (draft.status.state !== 'waiting_for_fleetshard_operator') return 'continue';
  const hasSpoken = draft.status.lastSeenAt !== undefined;
  if (hasSpoken) draft.fulfil('AgentConnected', 'Speaking');
  else draft.lack('AgentConnected', 'Waiting', 'its agent has not reported yet');
  const { agentMessage = 'the agent has not reported the cluster as ready' } = draft.status;
  draft.lack('Ready', 'WaitingForAgent', agentMessage);
  const isInstalled = draft.status.conditions?.some(
    ({ type, status }) => type === 'AgentInstalled' && status === 'True',
  );
  return isInstalled ? 'stop' : { retryAfterMs: pollMs };
};
