import { isError, toError } from '@chandlery/api';
import { classifyError, type StepResult, type WorkResult } from '@chandlery/runtime';
import { fleetClusterName } from '../kinds/index.ts';
import { type Deadline, deadlineOf } from '../model/deadlines.ts';
import type { ConfiguredProduct, InstanceRow } from '../registry/fleet-registry.ts';
import { InstanceDraft } from './instance-draft.ts';
import type { InstanceStepContext } from './instance-step.ts';
import { type InstanceWorkerDefinition, isMine } from './worker-definition.ts';
import type { WorkerDeps } from './worker-deps.ts';

/** Longer waits are cut: the clock may be set meanwhile. */
const maxWaitMs = 24 * 3600 * 1000;

/** Runs the steps of a worker over one instance and commits what they changed, once. */
export async function reconcileInstance(
  definition: InstanceWorkerDefinition,
  deps: WorkerDeps,
  { id, signal }: { readonly id: string; readonly signal: AbortSignal },
): Promise<WorkResult> {
  const row = deps.registry.instances.get(id);
  const product = row && deps.registry.configurations.get(row.spec.product);
  if (row === undefined || !isMine(definition, row)) return 'done';
  const startedMs = performance.now();
  let isSuccess = false;
  try {
    const result = await reconcileRow(definition, deps, { row, product, signal });
    isSuccess = true;
    return result;
  } finally {
    deps.observer.reconciled(definition.name, (performance.now() - startedMs) / 1000, isSuccess);
  }
}

interface Reconciled {
  readonly row: InstanceRow;
  readonly product: ConfiguredProduct | undefined;
  readonly signal: AbortSignal;
}

async function reconcileRow(
  definition: InstanceWorkerDefinition,
  deps: WorkerDeps,
  { row, product, signal }: Reconciled,
): Promise<WorkResult> {
  const now = deps.clock.now();
  const draft = new InstanceDraft(row, deps.registry.now());
  const context = { product, now, signal };
  const deadline = product && isWatched(definition, row) ? deadlineFor(deps, row, product) : undefined;
  const result = await runSteps(definition, deps, { draft, context, deadline });
  if (deadline !== undefined && now >= deadline.at) miss(draft, deadline);
  await commit(deps, draft);
  return next(result, draft, { deadline, now });
}

async function runSteps(
  { name, steps }: InstanceWorkerDefinition,
  deps: WorkerDeps,
  { draft, context, deadline }: { draft: InstanceDraft; context: InstanceStepContext; deadline: Deadline | undefined },
): Promise<StepResult> {
  const added = deps.extensions.filter(({ product, worker }) => product === draft.spec.product && worker === name);
  try {
    for (const step of [...added.flatMap(extension => extension.steps), ...steps]) {
      const result = await step(draft, deps, context);
      if (result !== 'continue') return result;
    }
    return 'continue';
  } catch (thrown) {
    return giveUpOrThrow(thrown, { draft, context, deadline });
  }
}

/** What no retry mends fails at once, everything else when the deadline has passed. */
function giveUpOrThrow(
  thrown: unknown,
  { draft, context, deadline }: { draft: InstanceDraft; context: InstanceStepContext; deadline: Deadline | undefined },
): StepResult {
  const isLate = deadline?.effect === 'fail' && context.now >= deadline.at;
  const isFinal = classifyError(thrown) === 'terminal' && draft.row.status.state === 'preparing';
  if (!isLate && !isFinal) throw thrown;
  draft.apply({ type: 'worker-failed', reason: toError(thrown).message });
  return 'stop';
}

const isWatched = ({ deadlinesIn = [] }: InstanceWorkerDefinition, { status }: InstanceRow): boolean =>
  status.state !== undefined && deadlinesIn.includes(status.state);

function deadlineFor(
  { registry }: WorkerDeps,
  { spec, status, createdAt }: InstanceRow,
  { configuration }: ConfiguredProduct,
): Deadline | undefined {
  const cluster = registry.clusters.get(fleetClusterName(spec.product, status.clusterId ?? ''));
  return deadlineOf(
    { spec, status, createdAt, clusterReadySince: cluster?.status.stateSince },
    configuration.settings.deadlines,
  );
}

/** An instance that got on meanwhile has not missed anything. */
function miss(draft: InstanceDraft, { effect, reason }: Deadline): void {
  if (draft.status.state !== draft.row.status.state || draft.commitWrites().some(({ type }) => type === 'remove'))
    return;
  if (effect === 'fail') draft.apply({ type: 'worker-failed', reason });
  else draft.state({ type: 'Overdue', status: 'True', reason: 'DeadlineMissed', message: reason });
}

async function commit({ registry }: WorkerDeps, draft: InstanceDraft): Promise<void> {
  const writes = draft.commitWrites();
  if (writes.length === 0) return;
  await registry.commit(writes).catch((error: unknown) => {
    if (isError(error, 'UniqueViolation')) registry.ledger.contest(error.details.name ?? '');
    throw error;
  });
}

function next(
  result: StepResult,
  draft: InstanceDraft,
  { deadline, now }: { readonly deadline: Deadline | undefined; readonly now: Date },
): WorkResult {
  const untilDeadline = deadline === undefined ? Number.POSITIVE_INFINITY : deadline.at.getTime() - now.getTime();
  const asked = typeof result === 'object' ? result.retryAfterMs : Number.POSITIVE_INFINITY;
  const hasMoved = draft.status.state !== draft.row.status.state;
  const waitMs = Math.min(asked, hasMoved || untilDeadline <= 0 ? Number.POSITIVE_INFINITY : untilDeadline);
  return Number.isFinite(waitMs) ? { requeueAfterMs: Math.min(Math.max(waitMs, 0), maxWaitMs) } : 'done';
}
