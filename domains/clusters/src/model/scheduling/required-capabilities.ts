import type { Cluster } from '../../kinds/cluster.ts';
import type { ClusterRequest } from '../../kinds/cluster-request.ts';
import type { Capability } from '../../kinds/common.ts';
import { clusterCapabilities, missingCapabilities, profileCapabilities } from '../clusters/capabilities.ts';
import type { Plan, SchedulingView } from './plan.ts';
import type { PurposeRule } from './purpose-rule.ts';

type Capabilities = readonly Capability[];
type Profiles = Pick<SchedulingView, 'profile'>;

/** The capabilities that the cluster of a request needs: those of its purpose, and those of the request itself. */
export function requiredCapabilities(
  { spec }: ClusterRequest,
  rule: PurposeRule | undefined,
  view: Profiles,
): Capabilities {
  return [...new Set([...(rule === undefined ? [] : purposeNeeds(rule, view)), ...(spec.requiredCapabilities ?? [])])];
}

/** The default is the capabilities of clusters created for the purpose. */
const purposeNeeds = ({ requiredCapabilities: stated, template }: PurposeRule, view: Profiles): Capabilities =>
  stated ?? profileCapabilities(template.spec.profile, view.profile(template.spec.profile));

/** The needed capabilities that a cluster does not have. */
export const findMissing = (cluster: Cluster, needed: Capabilities, view: Profiles): Capabilities =>
  missingCapabilities(needed, clusterCapabilities(cluster, view.profile(cluster.spec.profile)));

/** Of the capable clusters, those that run pods at the moment, if Run is needed and there are any. */
export function preferRunning(clusters: readonly Cluster[], needed: Capabilities): readonly Cluster[] {
  if (!needed.includes('Run')) return clusters;
  const running = clusters.filter(cluster => runProblemOf(cluster) === undefined);
  return running.length > 0 ? running : clusters;
}

/** Why a cluster does not run pods; undefined when it does, or when that is not known. */
export function runProblemOf({ status }: Cluster): string | undefined {
  const condition = status?.conditions?.find(({ type }) => type === 'RunReady');
  return condition?.status === 'False' ? (condition.message ?? '') : undefined;
}

/** A request with a cluster, and the rule of its purpose. */
interface Grant {
  readonly request: ClusterRequest;
  readonly rule: PurposeRule | undefined;
  readonly view: Profiles;
}

interface Problem {
  readonly reason: 'CapabilityMissing' | 'RunNotReady';
  readonly message: string;
}

/**
 * Why the cluster of a request does not meet its needs; undefined when it does. Needs that only follow from the
 * template of the purpose are left out: the template may have changed since.
 */
export function findGrantProblem(cluster: Cluster, { request, rule, view }: Grant): Problem | undefined {
  const stated = [...(rule?.requiredCapabilities ?? []), ...(request.spec.requiredCapabilities ?? [])];
  const missing = findMissing(cluster, [...new Set(stated)], view);
  const at = placeOf(cluster);
  if (missing.length > 0) {
    const message = `Cluster ${at} is given, but cannot do what is needed: ${missing.join(', ')}; delete the request and make it again.`;
    return { reason: 'CapabilityMissing', message };
  }
  const isRunNeeded = requiredCapabilities(request, rule, view).includes('Run');
  const problem = isRunNeeded ? runProblemOf(cluster) : undefined;
  if (problem === undefined) return undefined;
  return { reason: 'RunNotReady', message: `Cluster ${at} is given, but runs no pods: ${problem}` };
}

/** The obstacle when a new cluster would not meet the needs. */
export const unfitTemplate = ({ spec }: ClusterRequest, { template }: PurposeRule, missing: Capabilities): Plan => ({
  type: 'deny',
  reason: 'CapabilityMissing',
  message: `A cluster for purpose "${spec.purpose}" needs ${missing.join(', ')}, which no cluster with room has, and which those of the ClusterProfile "${template.spec.profile}" do not have; name another profile in the SchedulerConfig "default", or register a cluster that has it.`,
});

/** The obstacle when an existing cluster with the new name does not meet the needs. */
export const unfitCluster = (cluster: Cluster, { spec }: ClusterRequest, missing: Capabilities): Plan => ({
  type: 'deny',
  reason: 'CapabilityMissing',
  message: `A cluster for purpose "${spec.purpose}" needs ${missing.join(', ')}, which Cluster ${placeOf(cluster)} does not have; register another cluster that has it.`,
});

const placeOf = ({ metadata: { namespace, name } }: Cluster): string => `${namespace}/${name}`;
