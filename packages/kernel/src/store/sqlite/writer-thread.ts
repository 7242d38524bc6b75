import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { ChandleryError, isError } from '@chandlery/api';
import { threadEnvironment } from '@chandlery/platform';
import { CommitMeter } from '../commit-meter.ts';
import { assertConsistent } from '../commit-rules.ts';
import { CommittedChanges } from '../committed-changes.ts';
import {
  type AdvanceListener,
  type Change,
  type Commit,
  type CommitResult,
  type StoreObserver,
  storeErrorCodes,
} from '../store.ts';
import { unavailable } from '../store-errors.ts';
import { addCommit, type WireCommits, type WriterCall, type WriterReply, type WriterRequest } from './wire.ts';
import type { WriterData } from './writer.ts';

interface Waiting {
  /** What was asked for; undefined for calls. */
  readonly commit: Commit | undefined;
  readonly resolve: (value: unknown) => void;
  readonly reject: (failure: Error) => void;
}

/**
 * How many commits are sent off before the tick ends: the writer must not wait while a burst of them is prepared
 * here, nor this thread then wait for the writer.
 */
const maxGathered = 16;

/** The main thread's end of the writer: gathers the commits of one turn into few messages, hands out the answers. */
export class WriterThread {
  readonly #data: WriterData;
  readonly #onCommitted: AdvanceListener;
  readonly #meter: CommitMeter;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #gathered: { wire: WireCommits; values: Uint8Array[]; firstTicket: number } | undefined;
  #nextTicket = 0;
  #lastFailure: ChandleryError | undefined;
  #isClosed = false;

  /** `onCommitted` is called after every group in which something was committed, and when a thread has died. */
  constructor(data: WriterData, onCommitted: AdvanceListener, observer?: StoreObserver) {
    this.#data = data;
    this.#meter = new CommitMeter(observer);
    this.#onCommitted = onCommitted;
  }

  /** The error of the last write for which the store was unavailable; undefined when a probe has succeeded since. */
  get lastFailure(): ChandleryError | undefined {
    return this.#lastFailure;
  }

  commit(commit: Commit): Promise<CommitResult> {
    return this.#meter.measure(() => this.#commit(commit));
  }

  async #commit(commit: Commit): Promise<CommitResult> {
    assertConsistent(commit);
    this.#gathered ??= this.#gather();
    addCommit(this.#gathered.wire, commit);
    for (const { value } of commit.writes) this.#gathered.values.push(value.bytes);
    if (this.#gathered.wire.commits.length === maxGathered) this.#flush();
    const first = (await this.#await(this.#nextTicket++, commit)) as number;
    return { revisions: commit.writes.map((_, index) => first + index) };
  }

  async call(call: WriterCall): Promise<unknown> {
    this.#flush();
    const ticket = this.#nextTicket++;
    const answer = this.#await(ticket);
    this.#post({ type: 'call', ticket, call }, []);
    return answer;
  }

  /** Finds out whether writes work again after one has failed. A small write that succeeds is not enough. */
  async probe(): Promise<void> {
    await this.call({ name: 'probe' });
    this.#lastFailure = undefined;
  }

  /** Lets everything asked so far finish and ends the thread. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    const closing = this.call({ name: 'close' });
    this.#isClosed = true;
    await closing.catch(() => {});
    await this.#worker?.terminate();
  }

  /** What is committed until the loop's next turn shares a message. */
  #gather() {
    if (this.#isClosed) throw unavailable('it is closed');
    setImmediate(() => this.#flush());
    return { wire: { commits: [], checks: [] }, values: [], firstTicket: this.#nextTicket };
  }

  #flush(): void {
    if (this.#gathered === undefined) return;
    const { wire, values, firstTicket } = this.#gathered;
    this.#gathered = undefined;
    const packed = concat(values);
    this.#post({ type: 'commits', firstTicket, text: JSON.stringify(wire), values: packed }, [packed.buffer]);
  }

  #post(request: WriterRequest, transfer: readonly ArrayBuffer[]): void {
    this.#worker ??= this.#start();
    this.#worker.postMessage(request, transfer);
  }

  #await(ticket: number, commit?: Commit): Promise<unknown> {
    if (this.#isClosed) throw unavailable('it is closed');
    // The thread keeps the process alive only while a caller waits for it.
    this.#worker?.ref();
    return new Promise((resolve, reject) => void this.#waiting.set(ticket, { commit, resolve, reject }));
  }

  /** A thread that died is replaced when the next request comes. */
  #start(): Worker {
    const worker = new Worker(new URL('./writer.ts', import.meta.url), {
      workerData: this.#data,
      env: threadEnvironment(),
    });
    worker.on('message', (reply: WriterReply) => this.#settle(reply));
    worker.on('error', cause => this.#lost(worker, cause));
    worker.on('exit', () => {
      this.#lost(worker, undefined);
      // It may have committed what it could no longer answer.
      if (!this.#isClosed) this.#onCommitted();
    });
    return worker;
  }

  #settle({ committed, answered, failed }: WriterReply): void {
    const changes = this.#settleCommits(committed);
    for (const { ticket, value } of answered) this.#take(ticket)?.resolve(value);
    for (const { ticket, failure } of failed) this.#take(ticket)?.reject(this.#remember(revive(failure)));
    if (this.#waiting.size === 0) this.#worker?.unref();
    if (committed.length > 0) this.#onCommitted(changes);
  }

  /** Returns what has changed, where that is known. */
  #settleCommits(committed: WriterReply['committed']): readonly Change[] | undefined {
    const changes = new CommittedChanges();
    const group: Commit[] = [];
    for (let index = 0; index < committed.length; index += 2) {
      const waiting = this.#take(committed[index]);
      const first = committed[index + 1] as number;
      waiting?.resolve(first);
      if (waiting?.commit === undefined) continue;
      changes.add(waiting.commit, first);
      group.push(waiting.commit);
    }
    this.#meter.group(group);
    return changes.all;
  }

  /** Responses of a terminating thread have no receiver any more. */
  #take(ticket = -1): Waiting | undefined {
    const waiting = this.#waiting.get(ticket);
    this.#waiting.delete(ticket);
    return waiting;
  }

  #remember(failure: ChandleryError): ChandleryError {
    if (isError(failure, storeErrorCodes.Unavailable)) this.#lastFailure = failure;
    return failure;
  }

  #lost(worker: Worker, cause: unknown): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    this.#gathered = undefined;
    const abandoned = [...this.#waiting.values()];
    this.#waiting.clear();
    const failure = unavailable('its writer ended in the middle of the work, so the outcome is unknown', cause);
    if (abandoned.length > 0) this.#lastFailure = failure;
    for (const { reject } of abandoned) reject(failure);
  }

  /** Ends the thread without warning, as a crash would. For tests. */
  async crash(): Promise<void> {
    const worker = this.#worker;
    if (worker === undefined) return;
    const exit = once(worker, 'exit');
    await worker.terminate();
    await exit.catch(() => {});
  }
}

const revive = ({ code, message, details }: WriterReply['failed'][number]['failure']): ChandleryError =>
  new ChandleryError(code, message, { details });

function concat(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.length;
  }
  return whole;
}
