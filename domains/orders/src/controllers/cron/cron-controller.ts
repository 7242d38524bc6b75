import { isError, type JsonValue, type KubeObject, toError } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import type { Clock, Logger } from '@chandlery/platform';
import {
  createInformer,
  createWorkQueue,
  type Informer,
  keyOf,
  parseKey,
  runWorkers,
  type WorkResult,
} from '@chandlery/runtime';
import {
  type CronSpec,
  type CronState,
  cronProblem,
  decideCron,
  isStopDue,
  missedTime,
  nextScheduledTime,
} from '@chandlery/workflow';
import {
  argoApiVersion,
  type CronWorkflow,
  cronWorkflowsRef,
  type WorkflowRecord,
  workflowAnnotations,
  workflowLabels,
  workflowRecords,
  workflowsRef,
} from '../../kinds/workflows/index.ts';
import { isCompletedPhase } from '../../model/workflows/node-edits.ts';
import { cronSpecOf, cronStateOf } from './cron-state.ts';
import { surplusWorkflows } from './history-limits.ts';

export interface CronControllerOptions {
  /** Of the platform cluster. Not disposed of. */
  readonly client: Client;
  readonly clock: Clock;
  readonly logger: Logger;
}

const byCron = 'cron';
/** Longer waits are cut: the clock may be set meanwhile. */
const maxWaitMs = 3600 * 1000;

/** Starts to create Workflows as CronWorkflows say. Only one process at a time may run it. */
export async function startCronController(options: CronControllerOptions): Promise<AsyncDisposable> {
  await using stack = new AsyncDisposableStack();
  const { client, clock, logger } = options;
  const crons = stack.use(createInformer<CronWorkflow>({ client, ref: cronWorkflowsRef }));
  const labelSelector = workflowLabels.cronWorkflow;
  const records = stack.use(createInformer<WorkflowRecord>({ client, ref: workflowRecords, labelSelector }));
  records.addIndex(byCron, record => [cronKeyOf(record)]);
  const queue = createWorkQueue<string>({ clock });
  const add = (object: KubeObject): void => queue.add(keyOf(object));
  const addCron = (record: WorkflowRecord): void => queue.add(cronKeyOf(record));
  crons.start();
  records.start();
  await Promise.all([crons.synced, records.synced]);
  crons.listen({ added: add, updated: add, deleted: add });
  records.listen({ added: addCron, updated: addCron, deleted: addCron });
  const worker = new CronWorker(options, crons, records);
  stack.use(
    runWorkers({
      name: 'orders-cron',
      queue,
      work: key => worker.reconcile(key),
      onFailure: ({ key, error }) => logger.warn('a CronWorkflow was not handled', { cron: key, error: error.message }),
    }),
  );
  const all = stack.move();
  return { [Symbol.asyncDispose]: () => all.disposeAsync() };
}

const cronKeyOf = ({ metadata }: WorkflowRecord): string =>
  `${metadata.namespace ?? ''}/${metadata.labels?.[workflowLabels.cronWorkflow] ?? ''}`;

class CronWorker {
  readonly #options: CronControllerOptions;
  readonly #crons: Informer<CronWorkflow>;
  readonly #records: Informer<WorkflowRecord>;
  /** When each CronWorkflow was seen first: earlier times are not made up for, unless its status knows of them. */
  readonly #since = new Map<string, number>();

  constructor(options: CronControllerOptions, crons: Informer<CronWorkflow>, records: Informer<WorkflowRecord>) {
    this.#options = options;
    this.#crons = crons;
    this.#records = records;
  }

  async reconcile(key: string): Promise<WorkResult> {
    const { namespace, name } = parseKey(key);
    const cron = this.#crons.get(namespace, name);
    if (cron === undefined) {
      this.#since.delete(key);
      return 'done';
    }
    const spec = cronSpecOf(cron);
    const problem = cronProblem(name, spec);
    const workflows = this.#records.byIndex(byCron, key);
    const counted = await this.#report(cron, workflows, problem);
    if (problem !== undefined) return 'done';
    for (const surplus of surplusWorkflows(cron, workflows)) await this.#delete(surplus);
    const now = this.#options.clock.now().getTime();
    const since = this.#since.get(key) ?? now;
    this.#since.set(key, since);
    return this.#schedule(cron, { spec, state: counted, now, since });
  }

  async #schedule(
    cron: CronWorkflow,
    { spec, state, now, since }: { spec: CronSpec; state: CronState; now: number; since: number },
  ): Promise<WorkResult> {
    const late =
      state.lastScheduledTime === undefined || state.lastScheduledTime < since
        ? missedTime(spec, state, now)
        : undefined;
    const after = Math.max(since - 1, state.lastScheduledTime ?? 0);
    const due = late ?? nextScheduledTime(spec, after);
    if (due === undefined) return 'done';
    if (due > now) return { requeueAfterMs: Math.min(due - now, maxWaitMs) };
    this.#since.set(keyOf(cron), now);
    await this.#run(cron, { spec, state, due, now });
    return {
      requeueAfterMs: Math.min(Math.max(0, (nextScheduledTime(spec, now) ?? now + maxWaitMs) - now), maxWaitMs),
    };
  }

  async #run(cron: CronWorkflow, at: { spec: CronSpec; state: CronState; due: number; now: number }): Promise<void> {
    const decision = decideCron(at.spec, at.state, at.due, at.now);
    if (decision.type === 'skip') return;
    if (decision.replacesActive) await this.#stopActive(cron);
    const { client } = this.#options;
    const { namespace = '' } = cron.metadata;
    try {
      await client.create({ ...workflowsRef, namespace }, workflowOf(cron, decision.workflowName, at.due));
    } catch (error) {
      if (!isError(error, 'AlreadyExists') && !isError(error, 'Invalid')) throw error;
      if (isError(error, 'Invalid'))
        await this.#patch(cron, { conditions: [condition('SubmissionError', toError(error).message)] });
    }
    await this.#patch(cron, { lastScheduledTime: new Date(at.due).toISOString() });
  }

  async #stopActive(cron: CronWorkflow): Promise<void> {
    const { namespace = '' } = cron.metadata;
    for (const { metadata, status } of this.#records.byIndex(byCron, keyOf(cron))) {
      if (isCompletedPhase(status?.['phase'])) continue;
      const ref = { ...workflowsRef, namespace, name: metadata.name ?? '' };
      await this.#options.client.patch(ref, { type: 'merge', body: { spec: { shutdown: 'Terminate' } } });
    }
  }

  /** Writes what is known of the workflows into the status: those that are active, and how many have ended how. */
  async #report(
    cron: CronWorkflow,
    workflows: readonly WorkflowRecord[],
    problem: string | undefined,
  ): Promise<CronState> {
    const active = workflows.filter(({ status }) => !isCompletedPhase(status?.['phase']));
    const ended = workflows.filter(({ status }) => isCompletedPhase(status?.['phase']));
    const { counted = [] } = (cron.status ?? {}) as { counted?: readonly string[] };
    const fresh = ended.filter(({ metadata }) => !counted.includes(metadata.uid ?? ''));
    const before = cronStateOf(cron, active.length);
    const succeeded = before.succeeded + fresh.filter(({ status }) => status?.['phase'] === 'Succeeded').length;
    const failed = before.failed + fresh.filter(({ status }) => status?.['phase'] !== 'Succeeded').length;
    const state = { ...before, succeeded, failed };
    const spec = cronSpecOf(cron);
    const isStopped = before.isStopped === true || (problem === undefined && isStopDue(spec, state, Date.now()));
    await this.#patch(cron, {
      active: active.map(({ metadata: { namespace = '', name = '', uid = '' } }) => ({
        apiVersion: argoApiVersion,
        kind: 'Workflow',
        namespace,
        name,
        uid,
      })),
      succeeded,
      failed,
      counted: ended.map(({ metadata }) => metadata.uid ?? ''),
      phase: isStopped ? 'Stopped' : 'Active',
      conditions: problem === undefined ? [] : [condition('SpecError', problem)],
    });
    return { ...state, isStopped };
  }

  async #patch(cron: CronWorkflow, status: Record<string, JsonValue>): Promise<void> {
    const { namespace = '', name = '' } = cron.metadata;
    await this.#options.client.patch({ ...cronWorkflowsRef, namespace, name }, { type: 'merge', body: { status } });
  }

  async #delete({ metadata: { namespace = '', name = '' } }: WorkflowRecord): Promise<void> {
    await this.#options.client.delete({ ...workflowsRef, namespace, name }).catch((error: unknown) => {
      if (!isError(error, 'NotFound')) throw error;
    });
  }
}

const condition = (type: string, message: string): JsonValue => ({ type, status: 'True', message });

/** The Workflow that a CronWorkflow creates at a time. */
function workflowOf(cron: CronWorkflow, name: string, due: number): KubeObject {
  const { workflowSpec, workflowMetadata } = cron.spec as {
    workflowSpec?: Record<string, unknown>;
    workflowMetadata?: { labels?: Record<string, string>; annotations?: Record<string, string> };
  };
  const { name: cronName = '', uid = '', namespace = '' } = cron.metadata;
  return {
    apiVersion: argoApiVersion,
    kind: 'Workflow',
    metadata: {
      name,
      namespace,
      labels: { ...workflowMetadata?.labels, [workflowLabels.cronWorkflow]: cronName },
      annotations: {
        ...workflowMetadata?.annotations,
        [workflowAnnotations.scheduledTime]: new Date(due).toISOString(),
      },
      ownerReferences: [{ apiVersion: argoApiVersion, kind: 'CronWorkflow', name: cronName, uid, controller: true }],
    },
    spec: workflowSpec ?? {},
  };
}
