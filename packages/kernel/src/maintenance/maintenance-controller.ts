import { isError } from '@chandlery/api';
import { defaultHistoryMinutes, withCause } from '@chandlery/platform';
import { FeedEvent } from '../feed/feed-event.ts';
import type { ResourceDeps } from '../resources/request.ts';
import type { Change, ObjectKey, StoredObject } from '../store/store.ts';
import { terminatingTerm } from '../store/terms.ts';
import { clusterDrain } from './cluster-drain.ts';
import { crdDrain } from './crd-drain.ts';
import { CrdNames } from './crd-names.ts';
import { DefaultAccounts } from './default-accounts.ts';
import { GarbageCollector } from './garbage-collector.ts';
import { HistoryCompactor } from './history-compactor.ts';
import type { Leadership } from './leadership.ts';
import { namespaceDrain } from './namespace-drain.ts';
import { PolicyUpgrade } from './policy-upgrade.ts';
import { Reencryption } from './reencryption.ts';
import type { MaintenanceTask } from './task.ts';
import { TaskQueue } from './task-queue.ts';

export interface MaintenanceOptions {
  readonly deps: ResourceDeps;
  readonly leadership: Leadership;
  /** How long history is kept for watchers and pages. Default `defaultHistoryMinutes`. */
  readonly historyMs?: number;
  readonly onFailure: (what: string, error: unknown) => void;
}

const positionKey: ObjectKey = {
  cluster: 'platform',
  resource: 'internal/positions',
  namespace: '',
  name: 'housekeeping',
};
const savePositionEveryMs = 5000;

const retryAfterMs = 1000;
const maxTerminating = 100_000;

/**
 * Runs the maintenance: garbage, namespaces, CRDs and logical clusters in deletion, expired objects, old history.
 *
 * One process of a landscape leads at a time. It saves its position in history, so that no change is missed while no
 * process leads; when history no longer reaches back that far, every object is enqueued once.
 */
export class MaintenanceController implements AsyncDisposable {
  readonly #options: MaintenanceOptions;
  #isWanted = false;
  #term: Term | undefined;
  #retry: NodeJS.Timeout | undefined;
  #turn: Promise<void> = Promise.resolve();

  constructor(options: MaintenanceOptions) {
    this.#options = options;
  }

  /** How many keys wait for a task; none in a process that does not lead. */
  get waiting(): number {
    return this.#term?.waiting ?? 0;
  }

  start(): void {
    this.#options.leadership.start(isLeader => {
      this.#isWanted = isLeader;
      this.#adjust();
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isWanted = false;
    this.#adjust();
    await this.#turn;
    await this.#options.leadership[Symbol.asyncDispose]();
    await this.#turn;
  }

  /** Begins or ends the shift, one thing after the other; a beginning that failed is tried again. */
  #adjust(): void {
    clearTimeout(this.#retry);
    this.#turn = this.#turn
      .then(() => (this.#isWanted ? this.#begin() : this.#end()))
      .catch((error: unknown) => {
        this.#options.onFailure('housekeeping', error);
        if (!this.#isWanted) return;
        this.#retry = setTimeout(() => this.#adjust(), retryAfterMs);
        this.#retry.unref();
      });
  }

  async #begin(): Promise<void> {
    if (this.#term !== undefined) return;
    const term = new Term(this.#options);
    try {
      await term.begin();
      this.#term = term;
    } catch (error) {
      await term.end();
      throw error;
    }
  }

  async #end(): Promise<void> {
    const term = this.#term;
    this.#term = undefined;
    await term?.end();
  }
}

/** The time during which this process leads. */
class Term {
  readonly #options: MaintenanceOptions;
  readonly #tasks: readonly MaintenanceTask[];
  readonly #queue: TaskQueue;
  readonly #history: HistoryCompactor;
  readonly #reencryption: Reencryption;
  readonly #policyUpgrade: PolicyUpgrade;
  #stops: (() => void)[] = [];
  #savedPosition = 0;
  #lastWork = 0;

  constructor(options: MaintenanceOptions) {
    const { deps, onFailure } = options;
    this.#options = options;
    this.#tasks = [
      new GarbageCollector(deps, key => this.#queue.add(`garbage-collector ${key}`)),
      namespaceDrain(deps),
      crdDrain(deps),
      new CrdNames(deps),
      clusterDrain(deps),
      new DefaultAccounts(deps),
    ];
    this.#reencryption = new Reencryption({ deps, onFailure });
    this.#policyUpgrade = new PolicyUpgrade(deps, onFailure);
    this.#queue = new TaskQueue({ work: key => this.#work(key), onFailure });
    this.#history = new HistoryCompactor({
      deps,
      historyMs: options.historyMs ?? defaultHistoryMinutes * 60_000,
      onFailure,
    });
  }

  get waiting(): number {
    return this.#queue.size;
  }

  async begin(): Promise<void> {
    const { deps, onFailure } = this.#options;
    const from = await this.#position();
    const live = deps.feed.position;
    const stopListening = deps.feed.listen({}, events => {
      for (const event of events) if (event.revision > live) this.#look(event);
    });
    const stopMinding = deps.feed.onGap(() => {
      this.#resyncAll().catch((error: unknown) => onFailure('looking at everything', error));
    });
    this.#stops = [stopListening, stopMinding];
    await this.#catchUp(from, live);
    await this.#resyncTerminating();
    this.#savedPosition = live;
    const timer = setInterval(() => void this.#savePosition(), savePositionEveryMs);
    timer.unref();
    this.#stops.push(() => clearInterval(timer));
    await deps.revisions.keeper.start();
    this.#history.start();
    this.#reencryption.start();
    this.#policyUpgrade.start();
  }

  async end(): Promise<void> {
    for (const stop of this.#stops) stop();
    await this.#policyUpgrade.stop();
    await this.#reencryption.stop();
    await this.#history.stop();
    await this.#options.deps.revisions.keeper.stop();
    await this.#savePosition();
    await this.#queue[Symbol.asyncDispose]();
  }

  #look(event: FeedEvent): void {
    if (event.change.key.resource.startsWith('internal/')) return;
    this.#lastWork = event.revision;
    for (const task of this.#tasks) for (const key of task.keysFor(event)) this.#queue.add(`${task.name} ${key}`);
  }

  #work(text: string): ReturnType<MaintenanceTask['work']> {
    const space = text.indexOf(' ');
    const task = this.#tasks.find(({ name }) => name === text.slice(0, space));
    if (task === undefined) throw new TypeError(`no maintenance task is called "${text.slice(0, space)}"`);
    const key = text.slice(space + 1);
    return withCause({ component: task.name, object: key }, () => task.work(key));
  }

  async #catchUp(from: number, to: number): Promise<void> {
    try {
      await this.#replay(from, to);
    } catch (error) {
      if (!isError(error, 'Compacted')) throw error;
      await this.#resyncAll();
    }
  }

  async #replay(from: number, to: number): Promise<void> {
    const { store } = this.#options.deps;
    for (let after = from; after < to; ) {
      const page = await store.changes({ after, limit: 500 });
      for (const change of page.changes) if (change.revision <= to) this.#look(this.#event(change));
      if (!page.more) return;
      after = page.upTo;
    }
  }

  async #resyncAll(): Promise<void> {
    const { store } = this.#options.deps;
    for (const { cluster, resource } of await store.collections()) {
      let after: ObjectKey | undefined;
      for (;;) {
        const page = await store.list({ cluster, resource, limit: 500, ...(after === undefined ? {} : { after }) });
        for (const stored of page.items) this.#look(this.#event(asCreated(stored)));
        after = page.items.at(-1)?.key;
        if (!page.more || after === undefined) break;
      }
    }
  }

  /** What is in deletion may wait for something that happens only now. */
  async #resyncTerminating(): Promise<void> {
    const { store } = this.#options.deps;
    for await (const stored of store.withTerm(terminatingTerm, maxTerminating))
      this.#look(this.#event(asCreated(stored)));
  }

  #event(change: Change): FeedEvent {
    const { codec, store } = this.#options.deps;
    return new FeedEvent(change, codec, store);
  }

  async #position(): Promise<number> {
    const stored = await this.#options.deps.store.get(positionKey);
    return stored === undefined ? 0 : Number(Buffer.from(stored.value.bytes).toString());
  }

  async #savePosition(): Promise<void> {
    const { deps, onFailure } = this.#options;
    const position = deps.feed.position;
    if (this.#lastWork <= this.#savedPosition || !this.#queue.isIdle) return;
    try {
      await deps.store.commit({
        writes: [
          {
            type: 'put',
            key: positionKey,
            expect: { type: 'any' },
            value: { bytes: Buffer.from(String(position)), splice: 0 },
            terms: [],
          },
        ],
      });
      this.#savedPosition = position;
    } catch (error) {
      onFailure('saving the position', error);
    }
  }
}

const asCreated = ({ key, revision, value }: StoredObject): Change => ({ type: 'created', key, revision, value });
