import { isDeepStrictEqual } from 'node:util';
import type { Clock, Logger } from '@chandlery/platform';
import { traceparentOfRow } from '@chandlery/registry';
import { type ControllerMetrics, createWorkQueue, runWorkers, type WorkResult } from '@chandlery/runtime';
import { statusAfter, statusWrites } from '../../actions/change-instance.ts';
import { decideRollout, isRolloutOver } from '../../model/rollout.ts';
import type { RolloutDecision } from '../../model/rollout-types.ts';
import {
  type FleetRegistry,
  type FleetWrite,
  type InstanceRow,
  type RolloutRow,
  updateRow,
} from '../../registry/fleet-registry.ts';
import { rolloutFacts } from './rollout-facts.ts';

/** What the rollout worker works on. */
export interface RolloutDeps {
  readonly registry: FleetRegistry;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Default: nothing is measured and traced. */
  readonly controllerMetrics?: ControllerMetrics | undefined;
}

/** Reports come in bursts: one decision for all of them. */
const debounceMs = 20;
const workerName = 'fleet-rollouts';
const maxWaitMs = 24 * 3600 * 1000;

/**
 * Starts the worker of rollouts. Changes of a rollout, of the instances of its product, and due times add it to the
 * queue. Status and desired versions are one commit, so that the next leader sees both or neither.
 */
export function startRolloutWorker(deps: RolloutDeps): AsyncDisposable {
  const { registry, clock, logger, controllerMetrics: metrics } = deps;
  const observer = metrics && { observer: metrics.observeQueue(workerName) };
  const queue = createWorkQueue<string>({ clock, backOff: { baseMs: 50, maxMs: 30_000 }, ...observer });
  const open = ({ id, status }: RolloutRow): void => {
    if (!isRolloutOver(status)) queue.addAfter(id, debounceMs);
  };
  const stops = [
    registry.rollouts.listen(({ type, row }) => {
      if (type !== 'removed') open(row);
    }),
    registry.instances.listen(({ row }) => {
      for (const rollout of registry.rollouts.by('product', row.spec.product)) if (covers(rollout, row)) open(rollout);
    }),
  ];
  for (const row of registry.rollouts.all()) open(row);
  const workers = runWorkers({
    name: workerName,
    tracer: metrics?.tracer,
    traceparentOf: id => traceparentOfRow(registry.rollouts.get(id)),
    queue,
    work: id => reconcile(deps, id),
    onFailure: ({ key, error }) =>
      logger.warn('a rollout could not be reconciled', { rollout: key, error: error.message }),
  });
  return {
    async [Symbol.asyncDispose]() {
      for (const stop of stops) stop();
      await workers[Symbol.asyncDispose]();
    },
  };
}

/** Only instances of the wave in progress change anything. */
const covers = ({ status }: RolloutRow, { id }: InstanceRow): boolean => status.instances?.[id] !== undefined;

async function reconcile(deps: RolloutDeps, id: string): Promise<WorkResult> {
  const { registry, clock } = deps;
  const row = registry.rollouts.get(id);
  if (row === undefined || row.isDeleting) return 'done';
  const now = clock.now();
  const decision = decideRollout(row.spec, row.status, rolloutFacts(registry, row, now));
  const writes = [...rolloutWrites(row, decision), ...instanceWrites(registry, decision)];
  if (writes.length > 0) await registry.commit(writes);
  const waitMs = decision.dueAt === undefined ? undefined : decision.dueAt.getTime() - now.getTime();
  return waitMs === undefined ? 'done' : { requeueAfterMs: Math.min(Math.max(waitMs, debounceMs), maxWaitMs) };
}

function rolloutWrites(row: RolloutRow, { status, pause }: RolloutDecision): readonly FleetWrite[] {
  const phase = status.rolloutPhase === undefined ? {} : { phase: status.rolloutPhase };
  const next = { ...status, ...phase };
  if (!pause && isDeepStrictEqual({ ...row.status }, next)) return [];
  const spec = pause ? { spec: { ...row.spec, paused: true } } : {};
  return [updateRow({ table: 'rollouts', row, status: next, ...spec })];
}

function instanceWrites(registry: FleetRegistry, { changes }: RolloutDecision): readonly FleetWrite[] {
  const now = registry.now();
  return changes.flatMap(({ id, desired }) => {
    const row = registry.instances.get(id);
    if (row === undefined) return [];
    return statusWrites(row, statusAfter(row.status, [{ type: 'versions-set', desired }], now), now);
  });
}
