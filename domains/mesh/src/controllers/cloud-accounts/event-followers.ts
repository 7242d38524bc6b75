import { type ChandleryError, toError } from '@chandlery/api';
import type { Clock, Logger } from '@chandlery/platform';
import { keyOf, type Timers } from '@chandlery/runtime';
import { cloudError } from '../../endpoints/clouds/cloud-errors.ts';
import type { CloudAccount } from '../../kinds/clouds/cloud-account.ts';
import type { MachineEvents, ReceivedEvent } from '../../ports/machine-events.ts';
import { followQueue } from './follow-queue.ts';

export interface EventFollowersOptions {
  /** Called with the key of an account when it is to be reconciled: machines have changed, or what is known of its queues. */
  readonly enqueue: (account: string) => void;
  /** Called with how many messages were received and what became of them. */
  readonly onEvents: (cloud: string, outcome: 'change' | 'dropped', count: number) => void;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: () => number;
  readonly logger: Logger;
}

export interface FollowOptions {
  /** While it stays the same, the queues are followed as before. */
  readonly key: string;
  /** Such as `aws`. */
  readonly cloud: string;
  /** How many queues there are. */
  readonly queues: number;
  /** Connects to the queues. Rejects with a cloud error. */
  readonly open: () => Promise<readonly MachineEvents[]>;
}

interface Follower {
  /** Undefined: there was no room for its queues, and the next reconcile tries again. */
  readonly key: string | undefined;
  readonly queues: number;
  readonly abort: AbortController;
  readonly ended: Promise<void>;
  readonly state: FollowerState;
}

interface FollowerState {
  /** The errors of queues, by their names; undefined for one that works. */
  readonly outcomes: Map<string, ChandleryError | undefined>;
  changedAtMs: number;
  loggedAtMs: number;
}

/** Dropped messages of an account are logged at most so often. */
const logEveryMs = 60_000;
/** A request waits at each queue: who may write accounts makes as many as they like. */
export const maxQueues = 200;
/** The outcome of a queue whose connection cannot be made. */
const connection = '';

/** Follows the queues of accounts, each once, however many resources and services the account has. */
export class EventFollowers implements AsyncDisposable {
  readonly #options: EventFollowersOptions;
  /** By the uid of the account. */
  readonly #followers = new Map<string, Follower>();
  readonly #ending = new Set<Promise<void>>();

  constructor(options: EventFollowersOptions) {
    this.#options = options;
  }

  /** When the last event of an account has come. Undefined: none yet. */
  changedAtMs(uid: string): number | undefined {
    return this.#followers.get(uid)?.state.changedAtMs;
  }

  /** Whether the queues of an account are followed: undefined until the first response, and for accounts without queues. */
  outcomeOf(uid: string): { readonly error?: ChandleryError } | undefined {
    const outcomes = this.#followers.get(uid)?.state.outcomes;
    if (outcomes === undefined || outcomes.size === 0) return undefined;
    const error = [...outcomes].sort(byName).find(([, each]) => each !== undefined)?.[1];
    return error === undefined ? {} : { error };
  }

  /** Whether an account has queues that are followed. */
  has(uid: string): boolean {
    return this.#followers.has(uid);
  }

  follow(account: CloudAccount, options: FollowOptions): void {
    const { uid = '' } = account.metadata;
    const known = this.#followers.get(uid);
    if (known?.key === options.key) return;
    this.stop(uid);
    const abort = new AbortController();
    const state: FollowerState = {
      ...{ outcomes: new Map(), loggedAtMs: Number.NEGATIVE_INFINITY },
      changedAtMs: known?.state.changedAtMs ?? Number.NEGATIVE_INFINITY,
    };
    const { key, queues } = options;
    if (this.#queues + queues > maxQueues) {
      state.outcomes.set(connection, tooMany());
      this.#followers.set(uid, { key: undefined, queues: 0, abort, ended: Promise.resolve(), state });
      return;
    }
    const ended = this.#run(account, options, { state, signal: abort.signal });
    this.#followers.set(uid, { key, queues, abort, ended, state });
  }

  get #queues(): number {
    return [...this.#followers.values()].reduce((sum, { queues }) => sum + queues, 0);
  }

  stop(uid: string): void {
    const follower = this.#followers.get(uid);
    if (follower === undefined) return;
    this.#followers.delete(uid);
    follower.abort.abort();
    this.#ending.add(follower.ended);
    void follower.ended.finally(() => this.#ending.delete(follower.ended));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const uid of [...this.#followers.keys()]) this.stop(uid);
    await Promise.all(this.#ending);
  }

  async #run(account: CloudAccount, { cloud, open }: FollowOptions, { state, signal }: RunContext): Promise<void> {
    const key = keyOf(account);
    const onOutcome = (name: string, error: ChandleryError | undefined): void => {
      const before = state.outcomes.get(name);
      const isKnown = state.outcomes.has(name) && before?.code === error?.code && before?.message === error?.message;
      state.outcomes.set(name, error);
      if (!isKnown) this.#options.enqueue(key);
    };
    try {
      const queues = await open();
      await Promise.all(
        queues.map(events =>
          followQueue({
            ...{ ...this.#options, events, signal },
            onOutcome: error => onOutcome(events.name, error),
            onReceived: received => this.#received(received, { key, cloud, state, queue: events.name }),
          }),
        ),
      );
    } catch (thrown) {
      // Changed credentials start another follower.
      onOutcome(connection, toError(thrown));
    }
  }

  #received(received: readonly ReceivedEvent[], { key, cloud, state, queue }: ReceivedContext): void {
    const { clock, onEvents, logger, enqueue } = this.#options;
    const reasons = received.flatMap(({ event }) => (event.type === 'dropped' ? [event.reason] : []));
    const changes = received.length - reasons.length;
    const nowMs = clock.now().getTime();
    if (reasons.length > 0) onEvents(cloud, 'dropped', reasons.length);
    if (reasons.length > 0 && nowMs - state.loggedAtMs >= logEveryMs) {
      state.loggedAtMs = nowMs;
      logger.info('messages in a queue of events were dropped', { account: key, queue, reason: reasons[0] });
    }
    if (changes === 0) return;
    onEvents(cloud, 'change', changes);
    state.changedAtMs = nowMs;
    enqueue(key);
  }
}

const tooMany = (): ChandleryError =>
  cloudError('CloudQueuesTooMany', `the accounts of this cluster name more than ${maxQueues} queues`, {
    hint: 'Let several regions send their events into one queue.',
  });

interface RunContext {
  readonly state: FollowerState;
  readonly signal: AbortSignal;
}

interface ReceivedContext {
  readonly key: string;
  readonly cloud: string;
  readonly state: FollowerState;
  readonly queue: string;
}

const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number => (a < b ? -1 : 1);
