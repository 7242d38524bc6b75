import { isError, toError } from '@chandlery/api';
import type { AtomicClient } from '@chandlery/client';
import type { Clock, Logger } from '@chandlery/platform';
import {
  createInformer,
  createWorkQueue,
  type Informer,
  runWorkers,
  type WorkQueue,
  type WorkResult,
} from '@chandlery/runtime';
import { type Observation, SharedLocks } from '@chandlery/workflow';
import { type WorkflowRecord, workflowRecords } from '../../kinds/workflows/index.ts';
import { isCompletedPhase } from '../../model/workflows/node-edits.ts';
import { removalOfAll, statusOf } from '../../registry/workflows/node-store.ts';
import { updateRow } from '../../registry/workflows/workflow-registry.ts';
import type { HttpSender, NodeRunner, ObserveNode, WorkflowIdentity } from '../../workflow-ports.ts';
import { type ActionContext, type ActionDeps, carryOut } from './carry-out.ts';
import { commandsOf } from './commands.ts';
import type { HostedWorkflow, StoredStep } from './hosted-workflow.ts';
import { MemoCache } from './memo-cache.ts';
import { InvalidSpec, identityOf, type OpenDeps, openWorkflow } from './open-workflow.ts';
import { restartWrites } from './restart.ts';
import { RunningLimits } from './running-limits.ts';
import { touchIntervalMs, type WorkflowSettings } from './settings.ts';
import { takeOverWrites } from './take-over.ts';
import { deletionTime } from './time-to-live.ts';
import { clearEdits, recordRef, touchRecord } from './write-record.ts';

export interface WorkflowControllerOptions extends OpenDeps {
  /** Of the platform cluster. Not disposed of. */
  readonly client: AtomicClient;
  readonly createRunner: (observe: ObserveNode) => NodeRunner;
  readonly http: HttpSender;
  readonly readLimit: (lock: string) => number | undefined;
  readonly settings?: WorkflowSettings;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** What the controller keeps of a workflow in execution. */
interface Hosted {
  readonly workflow: HostedWorkflow;
  wakeAt: number | undefined;
  /** When the record was written last, and whether something changed since. */
  touchedAt: number;
  isDirty: boolean;
  /** Whether the latest step left work for the next one. */
  isUnfinished: boolean;
}

const postponed = 'Workflow processing has been postponed because too many workflows are already running';
const concurrency = 16;
const maxWaitMs = 24 * 3600 * 1000;

/** Executes the workflows of the platform cluster. Only one process at a time may run it. */
export class WorkflowController implements AsyncDisposable {
  readonly #options: WorkflowControllerOptions;
  readonly #records: Informer<WorkflowRecord>;
  readonly #queue: WorkQueue<string>;
  readonly #hosted = new Map<string, Hosted>();
  /** Workflows that ran when the server stopped and have not taken up their pods and locks yet. */
  readonly #restored = new Set<string>();
  readonly #limits: RunningLimits;
  readonly #runner: NodeRunner;
  readonly #locks: SharedLocks;
  readonly #actions: ActionDeps;
  readonly #stopping = new AbortController();
  readonly #stack = new AsyncDisposableStack();

  constructor(options: WorkflowControllerOptions) {
    const { client, clock, logger, settings = {} } = options;
    this.#options = options;
    this.#queue = createWorkQueue<string>({ clock });
    this.#limits = new RunningLimits(settings);
    const observe: ObserveNode = (uid, observation) => this.#observe(uid, observation);
    this.#runner = options.createRunner(observe);
    this.#locks = new SharedLocks(options.readLimit, { isRestoring: true });
    const memo = new MemoCache({ client, clock, logger });
    this.#actions = {
      runner: this.#runner,
      locks: this.#locks,
      http: options.http,
      memo,
      observe,
      signal: this.#stopping.signal,
    };
    this.#records = createInformer<WorkflowRecord>({ client, ref: workflowRecords });
    this.#records.addIndex('uid', ({ metadata }) => [metadata.uid ?? '']);
  }

  /** Continues all workflows that run, then works on changes. */
  async start(): Promise<void> {
    const add = ({ metadata }: WorkflowRecord): void => this.#queue.add(metadata.uid ?? '');
    this.#stack.use(this.#runner);
    this.#stack.use(this.#records);
    this.#records.start();
    await this.#records.synced;
    for (const record of this.#records.list()) this.#restore(record);
    this.#records.listen({ added: add, updated: add, deleted: add });
    for (const { id } of this.#options.registry.executions.all())
      if (this.#recordOf(id) === undefined) this.#queue.add(id);
    const workers = runWorkers({
      name: 'orders-workflows',
      queue: this.#queue,
      concurrency,
      work: async uid => {
        const result = await this.#reconcile(uid);
        if (this.#hosted.get(uid)?.isUnfinished !== true) this.#settle(uid);
        return result;
      },
      onFailure: ({ key, error }) =>
        this.#options.logger.warn('a workflow could not be advanced', { workflow: key, error: error.message }),
    });
    this.#stack.use(workers);
    this.#settle();
  }

  /**
   * Once every restored workflow has taken up its own, lets the runner judge pods that no node waits for, and grants
   * locks. Earlier, a pod whose end is not stored yet would count as finished: it could be removed, and its node would
   * run again; and a lock would be granted whose holder has not requested it again yet.
   */
  #settle(uid?: string): void {
    if (uid !== undefined && !this.#restored.delete(uid)) return;
    if (this.#restored.size > 0) return;
    this.#runner.settle();
    this.#locks.finishRestore();
  }

  /** Tries to grant locks again, after limits of semaphores were changed. */
  refreshLocks(): void {
    this.#locks.refresh();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    await this.#stack.disposeAsync();
  }

  #recordOf(uid: string): WorkflowRecord | undefined {
    return this.#records.byIndex('uid', uid)[0];
  }

  #observe(uid: string, observation: Observation): void {
    const hosted = this.#hosted.get(uid);
    hosted?.workflow.observe(observation);
    if (hosted !== undefined) this.#queue.add(uid);
    else if (observation.kind === 'ended' || observation.kind === 'lost') this.#runner.release(uid, observation.node);
  }

  /** Takes up a workflow that ran when the server stopped, before anything else happens. */
  #restore(record: WorkflowRecord): void {
    const { uid, namespace } = identityOf(record);
    const row = this.#options.registry.executions.get(uid);
    if (row === undefined || isCompletedPhase(row.spec.status['phase'])) return;
    try {
      this.#limits.take(uid, namespace);
      this.#open(record);
      this.#restored.add(uid);
    } catch (error) {
      this.#options.logger.error('a workflow cannot be continued', { workflow: uid, error: toError(error).message });
    }
  }

  #open(record: WorkflowRecord): Hosted {
    const workflow = openWorkflow(this.#options, record);
    const hosted: Hosted = { workflow, wakeAt: undefined, touchedAt: 0, isDirty: true, isUnfinished: false };
    this.#hosted.set(workflow.identity.uid, hosted);
    this.#queue.add(workflow.identity.uid);
    return hosted;
  }

  async #reconcile(uid: string): Promise<WorkResult> {
    const record = this.#recordOf(uid);
    if (record === undefined || record.metadata.deletionTimestamp !== undefined) return this.#remove(uid);
    if (record.edits?.restart === true) await this.#restart(record);
    else await this.#takeOver(record);
    const row = this.#options.registry.executions.get(uid);
    const hosted = this.#hosted.get(uid);
    if (hosted === undefined && row !== undefined && isCompletedPhase(row.spec.status['phase']))
      return this.#rest(record);
    try {
      const opened = hosted ?? this.#begin(record);
      return opened === undefined ? await this.#postpone(record) : await this.#advance(record, opened);
    } catch (error) {
      if (error instanceof InvalidSpec) return this.#reject(record, error.message);
      // Another writer changed its rows: what is in memory may be stale.
      if (isError(error, 'Conflict')) this.#hosted.delete(uid);
      throw error;
    }
  }

  #begin(record: WorkflowRecord): Hosted | undefined {
    return this.#limits.admit(record) ? this.#open(record) : undefined;
  }

  /** Shows that the workflow waits for others to end. */
  async #postpone(record: WorkflowRecord): Promise<WorkResult> {
    if (record.status?.['phase'] !== 'Pending')
      await touchRecord(this.#options.client, record, { phase: 'Pending', message: postponed });
    return 'done';
  }

  async #advance(record: WorkflowRecord, hosted: Hosted): Promise<WorkResult> {
    const { workflow } = hosted;
    const { uid } = workflow.identity;
    const { registry, clock } = this.#options;
    const nodes = () => statusOf(registry, uid)?.nodes ?? {};
    for (const command of commandsOf(record, workflow.execution.status, nodes)) workflow.observe(command);
    const now = clock.now().getTime();
    const step = await workflow.advance(now);
    // A time that has come is not asked for again.
    if (hosted.wakeAt !== undefined && hosted.wakeAt <= now) hosted.wakeAt = undefined;
    hosted.isDirty ||= step.isChanged;
    this.#carryOut(record, hosted, step);
    for (const { message } of step.rejections)
      this.#options.logger.info('a command was rejected', { workflow: uid, message });
    if (record.edits !== undefined) await clearEdits(this.#options.client, record);
    const touchInMs = await this.#touch(record, hosted);
    if (workflow.isCompleted) return this.#complete(record);
    hosted.isUnfinished = step.isUnfinished;
    // Others have their turn before the rest is done.
    if (step.isUnfinished) this.#queue.add(uid);
    return this.#wait(hosted, touchInMs);
  }

  #carryOut(record: WorkflowRecord, hosted: Hosted, step: StoredStep): void {
    const { workflow } = hosted;
    const isAgain = step.reissued.length > 0;
    const phases = new Map(isAgain ? [...workflow.execution.nodes].map(({ name, phase }) => [name, phase]) : []);
    const phaseOf: ActionContext['phaseOf'] = name => phases.get(name);
    const context = { workflow: workflow.identity, spec: record.spec, phaseOf };
    for (const action of step.reissued) carryOut(this.#actions, { ...context, isReissued: true }, action);
    for (const action of step.actions)
      hosted.wakeAt = carryOut(this.#actions, { ...context, isReissued: false }, action) ?? hosted.wakeAt;
    for (const node of step.ended) this.#runner.release(workflow.identity.uid, node);
  }

  /** Writes the Workflow if it is time to. Returns after how long to do it otherwise. */
  async #touch(record: WorkflowRecord, hosted: Hosted): Promise<number | undefined> {
    if (!hosted.isDirty) return undefined;
    const now = this.#options.clock.now().getTime();
    const dueAt = hosted.touchedAt + touchIntervalMs(hosted.workflow.nodeCount);
    if (!hosted.workflow.isCompleted && now < dueAt) return dueAt - now;
    hosted.isDirty = false;
    hosted.touchedAt = now;
    const row = this.#options.registry.executions.get(hosted.workflow.identity.uid);
    await touchRecord(this.#options.client, record, row?.spec.status ?? {});
    return undefined;
  }

  #wait({ wakeAt }: Hosted, touchInMs: number | undefined): WorkResult {
    const now = this.#options.clock.now().getTime();
    const waits = [touchInMs, wakeAt === undefined ? undefined : Math.max(0, wakeAt - now)].filter(
      ms => ms !== undefined,
    );
    return waits.length === 0 ? 'done' : { requeueAfterMs: Math.min(maxWaitMs, ...waits) };
  }

  #complete(record: WorkflowRecord): WorkResult | Promise<WorkResult> {
    const { uid } = identityOf(record);
    this.#hosted.delete(uid);
    this.#locks.forget(uid);
    this.#leave(uid);
    return this.#rest(record);
  }

  #leave(uid: string): void {
    const next = this.#limits.leave(uid);
    if (next !== undefined) this.#queue.add(next);
  }

  /** A completed workflow is deleted when its time to live has passed. */
  async #restDeleted(record: WorkflowRecord): Promise<WorkResult> {
    const { uid = '' } = record.metadata;
    await this.#options.client.delete(recordRef(record), { preconditions: { uid } }).catch((error: unknown) => {
      if (!isError(error, 'NotFound')) throw error;
    });
    return 'done';
  }

  #rest(record: WorkflowRecord): WorkResult | Promise<WorkResult> {
    const row = this.#options.registry.executions.get(identityOf(record).uid);
    const time = deletionTime({ spec: record.spec, status: row?.spec.status ?? {} });
    if (time === undefined) return 'done';
    const waitMs = time - this.#options.clock.now().getTime();
    return waitMs > 0 ? { requeueAfterMs: Math.min(waitMs, maxWaitMs) } : this.#restDeleted(record);
  }

  async #reject(record: WorkflowRecord, message: string): Promise<WorkResult> {
    const { uid } = identityOf(record);
    this.#leave(uid);
    if (record.status?.['phase'] === 'Failed') return 'done';
    const now = this.#options.clock.now().toISOString();
    const status = { phase: 'Failed', message: `invalid spec: ${message}`, startedAt: now, finishedAt: now };
    const { registry } = this.#options;
    const row = registry.executions.get(uid);
    // It was valid when it began: what it refers to, or the engine, is another one now.
    if (row !== undefined)
      await registry.commit([updateRow({ table: 'executions', row, spec: { ...row.spec, status } })]);
    await touchRecord(this.#options.client, record, status);
    return 'done';
  }

  /** A client let a completed workflow run again. */
  async #restart(record: WorkflowRecord): Promise<void> {
    const { registry } = this.#options;
    const { uid, namespace } = identityOf(record);
    await registry.commit(restartWrites(registry, record));
    this.#hosted.delete(uid);
    await clearEdits(this.#options.client, record);
    this.#limits.take(uid, namespace);
  }

  async #takeOver(record: WorkflowRecord): Promise<void> {
    const { registry } = this.#options;
    const writes = record.edits === undefined ? [] : takeOverWrites(registry, record);
    if (writes.length > 0) await registry.commit(writes);
  }

  /** The Workflow was deleted: removes everything that belongs to it. */
  async #remove(uid: string): Promise<WorkResult> {
    const { registry } = this.#options;
    const row = registry.executions.get(uid);
    this.#hosted.delete(uid);
    this.#locks.forget(uid);
    this.#leave(uid);
    if (row === undefined) return 'done';
    const workflow: WorkflowIdentity = { uid, name: row.spec.workflow, namespace: row.tenant };
    await this.#runner.forget(workflow);
    await registry.commit(removalOfAll(registry, uid));
    return 'done';
  }
}
