import type { StepContext, StepResult } from '@chandlery/runtime';
import type { AccessState } from '../../access/access.ts';
import type { ServiceObject } from '../../definition/service-kind.ts';
import { type AccessRequirement, accessRequirementsOf } from '../../model/access-requirements.ts';
import type { ClusterRole } from '../../objects/cluster-connection.ts';
import { policyOf } from '../deletion-policy.ts';
import type { ReconcileScope } from '../reconcile-scope.ts';
import { reportWaiting } from '../run-service-steps.ts';

/**
 * Obtains access to the clusters that the definition requires. A granted request enqueues the object. Each cluster is
 * recorded before anything is created there.
 */
export const obtainAccess = (_object: ServiceObject, scope: ReconcileScope, step: StepContext): Promise<StepResult> =>
  connectAll(scope, async (requirement, role) => {
    const state = await scope.deps.access.ensure(requirement, step.signal);
    if (state.type === 'ready') await recordCluster(scope, requirement, role);
    return state;
  });

async function recordCluster(scope: ReconcileScope, requirement: AccessRequirement, role: ClusterRole): Promise<void> {
  const { deps, identity, step } = scope;
  const cluster = await deps.access.clusterOf(requirement, step.signal);
  if (cluster === undefined) return;
  const object = { ...identity, deletionPolicy: policyOf(scope) };
  await deps.records.remember({ object, role, cluster }, step.signal);
}

/** Obtains access to the clusters that still exist. */
export const findAccess = (_object: ServiceObject, scope: ReconcileScope, step: StepContext): Promise<StepResult> =>
  connectAll(scope, requirement => scope.deps.access.find(requirement, step.signal));

async function connectAll(
  scope: ReconcileScope,
  connect: (requirement: AccessRequirement, role: ClusterRole) => Promise<AccessState>,
): Promise<StepResult> {
  const messages: string[] = [];
  for (const [role, requirement] of requirementsOf(scope)) {
    const state = await connect(requirement, role);
    if (state.type === 'ready') scope.connections[role] = state.connection;
    if (state.type === 'waiting') messages.push(state.message);
    // Without the control plane, further requests have no namespace.
    if (state.type === 'waiting' && state.isBlocking) break;
  }
  if (messages.length === 0) return 'continue';
  reportWaiting(scope, messages.join(' '));
  return 'stop';
}

/** The access requirements of the object, the control plane first. */
export function requirementsOf(scope: ReconcileScope): readonly (readonly [ClusterRole, AccessRequirement])[] {
  const { deps, identity } = scope;
  const object = { ...identity, deletionPolicy: policyOf(scope) };
  const requirements = accessRequirementsOf(deps.definition, deps.provider, object);
  return (['mcp', 'workload'] as const).flatMap(role => {
    const requirement = requirements[role];
    return requirement === undefined ? [] : [[role, requirement] as const];
  });
}
