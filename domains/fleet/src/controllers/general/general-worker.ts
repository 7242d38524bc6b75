import type { QuotaGrant } from '../../kinds/index.ts';
import { indexTerm } from '../../registry/fleet-registry.ts';
import { type Enqueue, everyState, type InstanceWorkerDefinition } from '../worker-definition.ts';
import type { WorkerDeps } from '../worker-deps.ts';
import { DeletionBudget } from './deletion-budget.ts';
import { createExpire } from './expire.ts';
import { honourObjectDeletion } from './honour-object-deletion.ts';
import { createRemoveDenied } from './remove-denied.ts';

/** Ends what has to end, whatever its state; finds suspensions, resumptions and deletions that take too long. */
export function generalWorker(): InstanceWorkerDefinition {
  const budget = new DeletionBudget();
  return {
    name: 'general',
    states: everyState.filter(state => state !== 'deleting'),
    deadlinesIn: ['suspending', 'resuming'],
    steps: [honourObjectDeletion, createRemoveDenied(budget), createExpire(budget)],
    listen: listenToGrants,
  };
}

/** Instances are decided on again when quota that concerns them changes. */
function listenToGrants({ registry }: WorkerDeps, enqueue: Enqueue): () => void {
  const add = ({ product, organisation, account }: QuotaGrant['spec']): void => {
    const rows =
      account === undefined
        ? registry.instances.by('organisation', indexTerm(product, organisation ?? ''))
        : registry.instances.by('owner', indexTerm(product, account));
    for (const row of rows) enqueue(row);
  };
  return registry.grants.listen(({ row, previous }) => {
    add(row.spec);
    if (previous !== undefined) add(previous.spec);
  });
}
