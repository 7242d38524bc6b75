import { type ChandleryError, isError, toError } from '@chandlery/api';
import { type Clock, systemClock } from '@chandlery/platform';
import {
  createWorkQueue,
  isDeleting,
  parseKey,
  runWorkers,
  type WorkFailure,
  type WorkQueue,
  type WorkResult,
} from '@chandlery/runtime';
import { asTransient } from '../model/as-transient.ts';
import type { ClusterRole, Connections } from '../objects/cluster-connection.ts';
import { ClusterShare } from '../objects/cluster-share.ts';
import { kindId, placeOf } from '../objects/kind-refs.ts';
import type { OwnerInfo } from '../objects/managed-objects.ts';
import { copyPlace } from './copy-body.ts';
import type { Engaged } from './engaged.ts';
import { Side, type SideListener } from './side.ts';
import { itemId, SyncInbox, type SyncItem } from './sync-inbox.ts';
import { syncObject } from './sync-object.ts';
import type { SyncWork } from './sync-work.ts';
import type {
  DisengageOptions,
  DisengageReport,
  SyncContext,
  SyncDefinition,
  Syncer,
  SyncerOptions,
} from './syncer.ts';
import { letGo, withdraw } from './withdraw.ts';

/** How long a source waits whose place is being written for another one. */
const claimRetryMs = 50;

/** Creates a syncer; the caller disposes of it. */
export const createSyncer = (options: SyncerOptions): Syncer => new QueuedSyncer(options);

class QueuedSyncer implements Syncer {
  readonly #options: SyncerOptions;
  readonly #clock: Clock;
  readonly #definitions: ReadonlyMap<string, SyncDefinition>;
  readonly #queue: WorkQueue<SyncItem>;
  readonly #inbox: SyncInbox;
  readonly #engaged = new Map<string, Engaged>();
  readonly #workloads: ClusterShare<Side>;
  /** Places of copies that a worker is writing. */
  readonly #claims = new Set<string>();
  readonly #workers: AsyncDisposable;

  constructor(options: SyncerOptions) {
    const { definitions, clock = systemClock, concurrency = 8, onChange } = options;
    this.#options = options;
    this.#clock = clock;
    this.#definitions = new Map(definitions.map(definition => [kindId(definition.kind.ref), definition]));
    this.#queue = queueFor(options);
    const [engaged, queue] = [this.#engaged, this.#queue];
    this.#inbox = new SyncInbox({ queue, engaged, definitions: this.#definitions, onLeft: onChange });
    const createSide = (onFailure: (error: ChandleryError) => void): Side =>
      this.#createSide('workload', this.#inbox.workloadListener(), onFailure);
    this.#workloads = new ClusterShare(createSide, clock);
    this.#workers = runWorkers<SyncItem>({
      name: 'syncer',
      queue,
      concurrency,
      graceMs: 0,
      work: (item, { signal }) => this.#sync(item, signal),
      onFailure: failure => this.#reportFailure(failure),
    });
  }

  engage(owner: OwnerInfo, { mcp, workload }: Connections, context: SyncContext): void {
    if (mcp === undefined || workload === undefined || this.#definitions.size === 0) return;
    const before = this.#engaged.get(owner.key);
    const workloadSide = this.#workloads.use(workload, owner.key);
    const now = { owner, context, mcp, workload, workloadSide };
    const isNew = before?.workloadSide !== workloadSide;
    const engaged = before?.isLeaving === false ? Object.assign(before, now) : this.#begin(now);
    this.#engaged.set(owner.key, engaged);
    engaged.mcpSide.follow(mcp.client);
    if (isNew) this.#inbox.addAll(owner.key);
  }

  async disengage(
    key: string,
    signal: AbortSignal,
    { policy = 'Delete', resume }: DisengageOptions = {},
  ): Promise<DisengageReport> {
    const engaged = this.#engaged.get(key);
    const { owner, context } = engaged ?? resume ?? {};
    if (owner === undefined || context === undefined) return notEngaged(key);
    const connections = resume?.connections ?? engaged ?? {};
    if (engaged !== undefined) await quiet(engaged);
    const { definitions, provider } = this.#options;
    const end = policy === 'Orphan' ? letGo : withdraw;
    const report = await end({ owner, connections, context, definitions, provider, signal });
    if (report.isClean && engaged !== undefined) this.#forget(engaged);
    return report;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#workers[Symbol.asyncDispose]();
    await Promise.all([...this.#engaged.values()].map(({ mcpSide }) => mcpSide.stop()));
    await this.#workloads[Symbol.asyncDispose]();
  }

  #begin(now: Omit<Engaged, 'mcpSide' | 'isLeaving' | 'running'>): Engaged {
    const mcpSide = this.#createSide('mcp', this.#inbox.mcpListener(now.owner.key));
    return { ...now, mcpSide, isLeaving: false, running: new Set() };
  }

  #forget({ owner }: Engaged): void {
    this.#engaged.delete(owner.key);
    this.#workloads.leave(owner.key);
  }

  #createSide(role: ClusterRole, listener: SideListener, onFailure?: (error: ChandleryError) => void): Side {
    const { provider, definitions, logger } = this.#options;
    return new Side({ role, provider, definitions, listener, logger, ...(onFailure && { onFailure }) });
  }

  /** Syncs one source, unless its owner is leaving. A source is added again when both sides are synced. */
  async #sync(item: SyncItem, signal: AbortSignal): Promise<WorkResult> {
    const engaged = this.#engaged.get(item.owner);
    const definition = this.#definitions.get(item.role);
    if (engaged === undefined || definition === undefined || engaged.isLeaving) return 'done';
    if (!engaged.mcpSide.main(definition).isSynced || !engaged.workloadSide.main(definition).isSynced) return 'done';
    const release = this.#claim(item, engaged, definition);
    if (release === undefined) return { requeueAfterMs: claimRetryMs };
    this.#inbox.forgetOrigins(item);
    const syncing = syncObject(this.#workFor(item, engaged, { definition, signal }));
    const ended = syncing.then(release, release).then(() => void engaged.running.delete(ended));
    engaged.running.add(ended);
    try {
      const result = await syncing;
      this.#options.metrics?.onReconcile?.('success');
      return result;
    } catch (thrown) {
      if (isError(thrown, 'Conflict')) this.#options.metrics?.onReconcile?.('success');
      throw asTransient(thrown);
    }
  }

  #reportFailure({ key, error }: WorkFailure<SyncItem>): void {
    const { code, message } = toError(error);
    this.#options.logger.warn('cannot sync an object', { ...key, code, error: message });
    this.#options.metrics?.onReconcile?.('error');
  }

  /** Reserves the place of the copy, so that one worker at a time writes to it; undefined while another has it. */
  #claim(item: SyncItem, { mcpSide, context }: Engaged, definition: SyncDefinition): (() => void) | undefined {
    const { namespace, name } = parseKey(item.source);
    const source = mcpSide.main(definition).get(namespace, name);
    if (source === undefined || isDeleting(source)) return () => undefined;
    const place = `${item.role} ${placeOf(copyPlace(definition, source, context))}`;
    if (this.#claims.has(place)) return undefined;
    this.#claims.add(place);
    return () => void this.#claims.delete(place);
  }

  #workFor(
    item: SyncItem,
    engaged: Engaged,
    { definition, signal }: { definition: SyncDefinition; signal: AbortSignal },
  ): SyncWork {
    const { owner, context, mcp, workload, mcpSide, workloadSide } = engaged;
    return {
      definition,
      source: item.source,
      owner,
      context,
      provider: this.#options.provider,
      mcp: { client: mcp.client, side: mcpSide },
      workload: { client: workload.client, side: workloadSide },
      now: this.#clock.now(),
      signal,
      expectOrigin: (from, ref) => this.#inbox.expectOrigin(item, from, ref),
      repaired: (kind, what) => this.#reportRepaired(item, owner, { kind, what }),
    };
  }

  #reportRepaired({ source }: SyncItem, { object }: OwnerInfo, { kind, what }: { kind: string; what: string }): void {
    const { recorder, metrics } = this.#options;
    metrics?.onRepaired?.(kind);
    if (object === undefined) return;
    const message = `${what} of "${source}" had been changed and was put back.`;
    recorder?.record(object, { type: 'Normal', reason: 'CopyRestored', message });
  }
}

function queueFor({ backOff, metrics }: SyncerOptions): WorkQueue<SyncItem> {
  return createWorkQueue<SyncItem>({
    idOf: itemId,
    tenantOf: ({ owner }) => owner,
    backOff: { baseMs: 200, maxMs: 60_000, ...backOff },
    ...(metrics?.queueObserver && { observer: metrics.queueObserver }),
  });
}

/** Stops syncing for an owner. Its copies are still watched, so that their removal is noticed. */
async function quiet(engaged: Engaged): Promise<void> {
  engaged.isLeaving = true;
  await Promise.all(engaged.running);
  await engaged.mcpSide.stop();
}

const notEngaged = (key: string): DisengageReport => ({
  isClean: false,
  message: `"${key}" is not engaged: it has to be engaged before it can be disengaged.`,
});
