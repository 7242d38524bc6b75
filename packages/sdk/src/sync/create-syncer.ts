import { type ChandleryError, toError } from '@chandlery/api';
import { type Clock, systemClock } from '@chandlery/platform';
import { createWorkQueue, isDeleting, parseKey, type WorkQueue } from '@chandlery/runtime';
import type { ClusterRole, Connections } from '../objects/cluster-connection.ts';
import { ClusterShare } from '../objects/cluster-share.ts';
import { kindId, placeOf } from '../objects/kind-refs.ts';
import type { OwnerInfo } from '../objects/managed-objects.ts';
import { copyPlace } from './copy-body.ts';
import type { Engaged } from './engaged.ts';
import { Side, type SideListener } from './side.ts';
import { type Item, itemId, SyncInbox } from './sync-inbox.ts';
import { syncPass } from './sync-pass.ts';
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

/** Makes a syncer; whoever makes it disposes of it. */
export const createSyncer = (options: SyncerOptions): Syncer => new QueuedSyncer(options);

class QueuedSyncer implements Syncer {
  readonly #options: SyncerOptions;
  readonly #clock: Clock;
  readonly #definitions: ReadonlyMap<string, SyncDefinition>;
  readonly #queue: WorkQueue<Item>;
  readonly #inbox: SyncInbox;
  readonly #engaged = new Map<string, Engaged>();
  readonly #workloads: ClusterShare<Side>;
  /** Places of copies that a pass is about to write. */
  readonly #claims = new Set<string>();
  readonly #abort = new AbortController();
  readonly #workers: Promise<unknown>;

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
    this.#workers = Promise.all(Array.from({ length: concurrency }, () => this.#work()));
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
    this.#abort.abort();
    await this.#queue.stop('abandon');
    await this.#workers;
    await Promise.all([...this.#engaged.values()].map(({ mcpSide }) => mcpSide.stop()));
    await this.#workloads[Symbol.asyncDispose]();
  }

  #begin(now: Omit<Engaged, 'mcpSide' | 'isLeaving' | 'passes'>): Engaged {
    const mcpSide = this.#createSide('mcp', this.#inbox.mcpListener(now.owner.key));
    return { ...now, mcpSide, isLeaving: false, passes: new Set() };
  }

  #forget({ owner }: Engaged): void {
    this.#engaged.delete(owner.key);
    this.#workloads.leave(owner.key);
  }

  #createSide(role: ClusterRole, listener: SideListener, onFailure?: (error: ChandleryError) => void): Side {
    const { provider, definitions, logger } = this.#options;
    return new Side({ role, provider, definitions, listener, logger, ...(onFailure && { onFailure }) });
  }

  async #work(): Promise<void> {
    for (let work = await this.#queue.next(); work !== undefined; work = await this.#queue.next()) {
      using current = work;
      await this.#process(current.key);
    }
  }

  /** What is not known yet is looked at when all of it is. */
  async #process(item: Item): Promise<void> {
    const engaged = this.#engaged.get(item.owner);
    const definition = this.#definitions.get(item.role);
    if (engaged === undefined || definition === undefined || engaged.isLeaving) return this.#queue.forget(item);
    if (!engaged.mcpSide.main(definition).isSynced || !engaged.workloadSide.main(definition).isSynced) return;
    const pass = this.#pass(item, engaged, definition).finally(() => engaged.passes.delete(pass));
    engaged.passes.add(pass);
    await pass;
  }

  /** Never rejects. */
  async #pass(item: Item, engaged: Engaged, definition: SyncDefinition): Promise<void> {
    const { logger, metrics } = this.#options;
    let release = (): void => undefined;
    try {
      const claim = this.#claim(item, engaged, definition);
      if (claim === undefined) return this.#queue.addAfter(item, 50);
      release = claim;
      this.#inbox.forgetOrigins(item);
      const result = await syncPass(this.#workFor(item, engaged, definition));
      this.#queue.forget(item);
      if (result.type === 'later') this.#queue.addAfter(item, result.afterMs);
      metrics?.onPass?.('success');
    } catch (thrown) {
      if (this.#abort.signal.aborted) return;
      const { code, message } = toError(thrown);
      if (code !== 'Conflict') logger.warn('an object could not be carried', { ...item, code, error: message });
      this.#queue.addRateLimited(item);
      metrics?.onPass?.(code === 'Conflict' ? 'success' : 'error');
    } finally {
      release();
    }
  }

  /** Only one pass at a time may write to a place; undefined while another does. */
  #claim(item: Item, { mcpSide, context }: Engaged, definition: SyncDefinition): (() => void) | undefined {
    const { namespace, name } = parseKey(item.source);
    const source = mcpSide.main(definition).get(namespace, name);
    if (source === undefined || isDeleting(source)) return () => undefined;
    const place = `${item.role} ${placeOf(copyPlace(definition, source, context))}`;
    if (this.#claims.has(place)) return undefined;
    this.#claims.add(place);
    return () => void this.#claims.delete(place);
  }

  #workFor(item: Item, engaged: Engaged, definition: SyncDefinition): SyncWork {
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
      signal: this.#abort.signal,
      expectOrigin: (from, ref) => this.#inbox.expectOrigin(item, from, ref),
      repaired: (kind, what) => this.#tellRepaired(item, owner, { kind, what }),
    };
  }

  #tellRepaired({ source }: Item, { object }: OwnerInfo, { kind, what }: { kind: string; what: string }): void {
    const { recorder, metrics } = this.#options;
    metrics?.onRepaired?.(kind);
    if (object === undefined) return;
    const message = `${what} of "${source}" had been changed and was put back.`;
    recorder?.record(object, { type: 'Normal', reason: 'CopyRestored', message });
  }
}

function queueFor({ backOff, metrics }: SyncerOptions): WorkQueue<Item> {
  return createWorkQueue<Item>({
    idOf: itemId,
    tenantOf: ({ owner }) => owner,
    backOff: { baseMs: 200, maxMs: 60_000, ...backOff },
    ...(metrics?.queueObserver && { observer: metrics.queueObserver }),
  });
}

/** Carries nothing more for an owner; its copies are still watched, to tell when they are gone. */
async function quiet(engaged: Engaged): Promise<void> {
  engaged.isLeaving = true;
  await Promise.all(engaged.passes);
  await engaged.mcpSide.stop();
}

const notEngaged = (key: string): DisengageReport => ({
  isClean: false,
  message: `Nothing is known of "${key}" yet: it has to be engaged before it can be disengaged.`,
});
