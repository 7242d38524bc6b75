import { toError } from '@chandlery/api';
import type { Cluster } from '../../kinds/cluster.ts';
import type { ClusterRequest } from '../../kinds/cluster-request.ts';
import type { SchedulerConfig } from '../../kinds/scheduler-config.ts';
import { byKey, chooseCluster } from './choose-cluster.ts';
import { holdersOf, isHeldBy } from './holds.ts';
import { matchesSelector } from './matches-selector.ts';
import type { Chance, Plan, SchedulingView } from './plan.ts';
import { newCluster, planHold } from './plan-hold.ts';
import {
  isExclusive,
  newClusterName,
  newClusterNamespace,
  type Place,
  type PurposeRule,
  tenancyLimit,
} from './purpose-rule.ts';
import {
  findMissing,
  preferRunning,
  requiredCapabilities,
  unfitCluster,
  unfitTemplate,
} from './required-capabilities.ts';

/** The input of a decision. */
export interface Situation {
  readonly request: ClusterRequest;
  /** Undefined when there is no SchedulerConfig `default`. */
  readonly config: SchedulerConfig['spec'] | undefined;
  readonly view: SchedulingView;
  readonly chance: Chance;
}

/**
 * Decides which cluster a request gets. The plan is safe on stale caches: writes are bound to the versions that were
 * read, and new clusters fail if the name is taken; after a conflict the decision is made again.
 */
export function decideRequest(situation: Situation): Plan {
  const { request, config, view } = situation;
  const given = request.status?.cluster;
  const recovered = given === undefined ? [...view.heldBy(uidOf(request))].sort(byKey)[0] : view.at(given);
  if (recovered !== undefined) return keep(recovered, situation);
  if (config === undefined) return problem('wait', 'There is no SchedulerConfig "default"; create one.');
  const rule = config.purposes[request.spec.purpose];
  if (rule === undefined) return unknownPurpose(request, config);
  if (given !== undefined) return make(situation, rule, given);
  return findOrMake(situation, config, rule);
}

const uidOf = ({ metadata }: ClusterRequest): string => metadata.uid ?? '';

const problem = (type: 'wait' | 'deny', message: string): Plan => ({ type, reason: 'ConfigurationProblem', message });

function unknownPurpose({ spec }: ClusterRequest, { purposes }: SchedulerConfig['spec']): Plan {
  const known = Object.keys(purposes).sort().join(', ');
  return problem(
    'deny',
    `The SchedulerConfig "default" does not know the purpose "${spec.purpose}" (it knows ${known || 'none'}); add it there or ask for another.`,
  );
}

/** Keeps the cluster of the status, or the one that was held when the write of the status was lost. */
function keep(cluster: Cluster, situation: Situation): Plan {
  const { request, config, view } = situation;
  if (isHeldBy(cluster, uidOf(request))) return planHold(request, cluster, []);
  return take(cluster, { request, view, rule: config?.purposes[request.spec.purpose] });
}

/** Creates a new cluster, unless the template's profile does not meet the needs of the request. */
function make({ request, view }: Situation, rule: PurposeRule, place: Place): Plan {
  const cluster = newCluster(request, rule, place);
  const missing = findMissing(cluster, requiredCapabilities(request, rule, view), view);
  return missing.length > 0 ? unfitTemplate(request, rule, missing) : { type: 'create', cluster };
}

function findOrMake(situation: Situation, config: SchedulerConfig['spec'], rule: PurposeRule): Plan {
  const { request, view, chance } = situation;
  const needed = requiredCapabilities(request, rule, view);
  if (!isExclusive(rule.template)) {
    const fitting = findFitting(request, config, { view, rule });
    if (!Array.isArray(fitting)) return problem('deny', fitting.message);
    const able = fitting.filter(cluster => findMissing(cluster, needed, view).length === 0);
    const chosen = chooseCluster(preferRunning(able, needed), config.strategy, chance.random);
    if (chosen !== undefined) return planHold(request, chosen, []);
  }
  const name = newClusterName(request, rule, chance.suffix);
  const place: Place = { name, namespace: newClusterNamespace(request, rule, config.scope) };
  const taken = view.at(place);
  if (taken === undefined) return make(situation, rule, place);
  if (!isMadeFor(taken, request, rule)) return misfit(taken, request);
  const missing = findMissing(taken, needed, view);
  return missing.length > 0 ? unfitCluster(taken, request, missing) : take(taken, { request, view, rule });
}

interface Rules {
  readonly view: SchedulingView;
  readonly rule: PurposeRule;
}

/** Shared clusters with capacity, or a problem of the selector. */
function findFitting(
  request: ClusterRequest,
  { scope }: SchedulerConfig['spec'],
  { view, rule }: Rules,
): Cluster[] | { readonly message: string } {
  const hasRoom = (cluster: Cluster): boolean =>
    cluster.metadata.deletionTimestamp === undefined &&
    !isExclusive(cluster) &&
    holdersOf(cluster).length < tenancyLimit(cluster, rule) &&
    (scope === 'Cluster' || cluster.metadata.namespace === request.metadata.namespace);
  const { purpose } = request.spec;
  try {
    return view.withPurpose(purpose).filter(each => hasRoom(each) && matchesSelector(rule.selector, each));
  } catch (thrown) {
    const why = toError(thrown).message;
    return { message: `The selector of purpose "${purpose}" in the SchedulerConfig "default" is not valid: ${why}.` };
  }
}

/** Whether an existing cluster with the new name equals the new one. */
const isMadeFor = ({ spec }: Cluster, request: ClusterRequest, { template }: PurposeRule): boolean =>
  spec.tenancy === template.spec.tenancy && spec.purposes.includes(request.spec.purpose);

const misfit = ({ metadata: { namespace, name } }: Cluster, { spec }: ClusterRequest): Plan => ({
  type: 'deny',
  reason: 'ClusterConflict',
  message: `The new cluster would be called ${namespace}/${name}, but that one is not for purpose "${spec.purpose}"; change the template in the SchedulerConfig "default".`,
});

interface Taking {
  readonly request: ClusterRequest;
  readonly view: SchedulingView;
  readonly rule: PurposeRule | undefined;
}

/** Takes a specific cluster, whose holders may have been deleted. */
function take(cluster: Cluster, { request, view, rule }: Taking): Plan {
  const { namespace, name, deletionTimestamp } = cluster.metadata;
  if (deletionTimestamp !== undefined) {
    const message = `Cluster ${namespace}/${name} is being deleted; a new one is created after that.`;
    return { type: 'wait', reason: 'WaitingForClusterDeletion', message };
  }
  const holders = holdersOf(cluster);
  const orphans = holders.filter(uid => !view.isAlive(uid));
  if (holders.length - orphans.length < tenancyLimit(cluster, rule)) return planHold(request, cluster, orphans);
  return {
    type: 'deny',
    reason: 'ClusterConflict',
    message: `Cluster ${namespace}/${name} belongs to other requests; delete them, or create the request again with the label clusters.openmcp.cloud/randomize-cluster-name: "true".`,
  };
}
