import type { StepResult } from '@chandlery/runtime';
import type { AccessState } from '../../access/access.ts';
import { type AccessWish, accessWishesOf } from '../../model/access-wishes.ts';
import type { ClusterRole } from '../../objects/cluster-connection.ts';
import { policyOf } from '../deletion-policy.ts';
import type { Pass } from '../pass.ts';
import { reportWaiting } from '../run-stages.ts';

/**
 * Gets ways into the clusters that the definition wishes for. Requests that are granted wake the object. Each cluster is
 * recorded before anything is made there.
 */
export const obtainAccess = (pass: Pass): Promise<StepResult> =>
  connectAll(pass, async (wish, role) => {
    const state = await pass.needs.access.ensure(wish, pass.step.signal);
    if (state.type === 'ready') await recordCluster(pass, wish, role);
    return state;
  });

async function recordCluster(pass: Pass, wish: AccessWish, role: ClusterRole): Promise<void> {
  const { needs, identity, step } = pass;
  const cluster = await needs.access.clusterOf(wish, step.signal);
  if (cluster === undefined) return;
  const object = { ...identity, deletionPolicy: policyOf(pass) };
  await needs.records.remember({ object, role, cluster }, step.signal);
}

/** Gets ways into the clusters that are still there. */
export const findAccess = (pass: Pass): Promise<StepResult> =>
  connectAll(pass, wish => pass.needs.access.find(wish, pass.step.signal));

async function connectAll(
  pass: Pass,
  connect: (wish: AccessWish, role: ClusterRole) => Promise<AccessState>,
): Promise<StepResult> {
  const messages: string[] = [];
  for (const [role, wish] of wishesOf(pass)) {
    const state = await connect(wish, role);
    if (state.type === 'ready') pass.connections[role] = state.connection;
    if (state.type === 'waiting') messages.push(state.message);
    // Without the control plane there is no place for further requests.
    if (state.type === 'waiting' && state.isBlocking) break;
  }
  if (messages.length === 0) return 'continue';
  reportWaiting(pass, messages.join(' '));
  return 'stop';
}

/** The wishes of a pass, the control plane first. */
export function wishesOf(pass: Pass): readonly (readonly [ClusterRole, AccessWish])[] {
  const { needs, identity } = pass;
  const object = { ...identity, deletionPolicy: policyOf(pass) };
  const wishes = accessWishesOf(needs.definition, needs.provider, object);
  return (['mcp', 'workload'] as const).flatMap(role => {
    const wish = wishes[role];
    return wish === undefined ? [] : [[role, wish] as const];
  });
}
