import { isAgentSilent } from '../../model/placement.ts';
import type { ClusterStep } from './cluster-draft.ts';

const installationPollMs = 1000;

/** Finds out by due time that an agent has fallen silent: its cluster gets no new instances until it speaks again. */
export const watchAgent: ClusterStep = (draft, { registry }, now) => {
  if (draft.status.state !== 'ready') return 'continue';
  const { lastSeenAt } = draft.status;
  const configuration = registry.configurations.get(draft.row.spec.product)?.configuration;
  if (lastSeenAt === undefined || configuration === undefined) {
    draft.lack('AgentConnected', 'NeverSeen', 'its agent has not spoken yet');
    draft.fulfil('Ready', 'Available');
    return 'continue';
  }
  if (isAgentSilent(draft.status, configuration, now)) {
    draft.set({ isAgentSilent: true });
    draft.lack('AgentConnected', 'AgentSilent', 'its agent does not speak; look at the agent and its network');
    draft.lack('Ready', 'AgentSilent', 'its agent does not speak');
    return 'continue';
  }
  draft.set({ isAgentSilent: undefined });
  draft.fulfil('AgentConnected', 'Speaking');
  draft.fulfil('Ready', 'Available');
  const silentAt = Date.parse(lastSeenAt) + configuration.settings.agentSilenceSeconds * 1000;
  const isInstalling = draft.status.conditions?.some(
    ({ type, status }) => type === 'AgentInstalled' && status !== 'True',
  );
  return {
    retryAfterMs: Math.min(silentAt - now.getTime() + 1, isInstalling ? installationPollMs : Number.POSITIVE_INFINITY),
  };
};
