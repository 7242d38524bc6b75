import { validateLabelValue } from '@chandlery/api';
import { removeCondition, type StepContext, type StepResult, setCondition } from '@chandlery/runtime';
import type { Cluster } from '../../kinds/cluster.ts';
import type { ClusterProfile } from '../../kinds/cluster-profile.ts';
import { builtInProviderName, clusterNames } from '../../kinds/names.ts';
import { profileCapabilities } from '../../model/clusters/capabilities.ts';
import { clusterPhase } from '../../model/clusters/cluster-phase.ts';
import { isRunPromised, judgeReady, runReadiness } from '../../model/clusters/run-health.ts';
import type { SourceState } from '../../ports.ts';
import type { ClusterDeps } from './cluster-deps.ts';

/** The default interval of checks of a cluster that is not ready. */
const retryMs = 5000;

/** Ensures the cluster at its source, and reports its state. */
export async function ensureCluster(
  cluster: Cluster,
  deps: ClusterDeps,
  { now, signal }: StepContext,
): Promise<StepResult> {
  const source = deps.sourceOf(cluster);
  const profile = deps.profileOf(cluster);
  if (source === undefined || profile === undefined) return 'stop';
  const state = await source.ensure(cluster, signal);
  labelCluster(cluster, source.name, state);
  showState(cluster, source.name, state);
  const isReady = showReadiness(cluster, profile, state, now);
  cluster.status = { ...cluster.status, phase: clusterPhase(cluster) };
  const checkAgainMs = state.checkAgainMs ?? (isReady ? undefined : retryMs);
  return checkAgainMs === undefined ? 'continue' : { retryAfterMs: checkAgainMs };
}

/** Reports capabilities and readiness of the cluster; true when it is ready. */
function showReadiness(cluster: Cluster, profile: ClusterProfile, state: SourceState, now: Date): boolean {
  const capabilities = profileCapabilities(cluster.spec.profile, profile);
  cluster.status = { ...cluster.status, capabilities: [...capabilities] };
  const run = runReadiness(capabilities, state.run);
  if (run === undefined) removeCondition(cluster, 'RunReady');
  else setCondition(cluster, { type: 'RunReady', ...run }, now);
  const { isReady, reason, message } = state;
  const ready = judgeReady({ status: isReady ? 'True' : 'False', reason, message }, run, isRunPromised(profile));
  setCondition(cluster, { type: 'Ready', ...ready }, now);
  return ready.status === 'True';
}

function labelCluster({ metadata }: Cluster, source: string, { version }: SourceState): void {
  metadata.labels = { ...metadata.labels, [clusterNames.providerLabel]: builtInProviderName };
  if (version !== undefined) metadata.labels[clusterNames.versionLabel] = asLabel(version);
  metadata.annotations = { ...metadata.annotations, [clusterNames.providerInfoAnnotation]: source };
}

/** Versions such as 1.33.1+k3s1 have characters that labels may not have. */
function asLabel(version: string): string {
  if (validateLabelValue(version).length === 0) return version;
  return version
    .replaceAll(/[^\w.-]/g, '_')
    .slice(0, 63)
    .replaceAll(/^[^a-zA-Z0-9]+|[^a-zA-Z0-9]+$/g, '');
}

/** The last known state of an unreachable cluster stays. */
function showState(cluster: Cluster, source: string, { endpoints, providerStatus }: SourceState): void {
  const external = endpoints.find(({ name }) => name === clusterNames.externalEndpoint);
  cluster.status = {
    ...cluster.status,
    ...(endpoints.length > 0 && { endpoints: endpoints.map(each => ({ ...each })) }),
    ...(external && { apiServer: external.url }),
    providerStatus: { ...providerStatus, source },
  };
}
