import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads';
import type { CheckpointWorkerData } from './checkpoint-worker.ts';
import { checkpoint } from './integrity/checkpoint.ts';
import { pageSize } from './integrity/wal-file.ts';

/** The threshold of the checkpoint thread, in pages of the WAL. More at once would keep the disk from commits. */
const pagesToBegin = Math.ceil(20e6 / pageSize);
/** At most this many pages the writer checkpoints itself, in some milliseconds. */
const pagesToFinish = 2000;
/** Groups of commits between two reads of the WAL's size. */
const groupsPerLook = 16;
/** From this many pages on (`journal_size_limit` of open-database.ts is a quarter of it) the writer checkpoints and blocks commits meanwhile, in case the other thread fails. */
const pagesToForce = 100_000;

const waitMs = 5;
const maxWaits = 1000;
const sleeper = new Int32Array(new SharedArrayBuffer(4));

/**
 * Checkpoints the WAL into the database while commits continue: they would wait for it for a twentieth of a second.
 *
 * The WAL can restart only when all of it is checkpointed, and it grows meanwhile. So another thread does nearly all
 * of it, and the writer the rest, between two groups.
 */
export class WalCheckpointer implements Disposable {
  readonly #path: string;
  readonly #database: DatabaseSync;
  readonly #look: StatementSync;
  #thread: { readonly worker: Worker; readonly port: MessagePort } | undefined;
  #isRunning = false;
  #groups = 0;

  constructor(path: string, database: DatabaseSync) {
    this.#path = path;
    this.#database = database;
    this.#look = database.prepare('PRAGMA wal_checkpoint(NOOP)');
  }

  /** To be called after each group of commits. */
  afterGroup(): void {
    if (this.#isRunning) this.#endIfDone();
    else if (++this.#groups % groupsPerLook === 0) this.#beginIfLong();
  }

  /** Waits for the other thread, and checkpoints all that is left; returns whether it is all. To be called before the database is closed. */
  finish(): boolean {
    for (let waits = 0; this.#isRunning && waits < maxWaits; waits++) {
      this.#endIfDone();
      if (this.#isRunning) Atomics.wait(sleeper, 0, 0, waitMs);
    }
    return checkpoint(this.#path, this.#database);
  }

  [Symbol.dispose](): void {
    void this.#thread?.worker.terminate();
    this.#thread = undefined;
  }

  #beginIfLong(): void {
    const missing = this.#missingPages();
    if (missing >= pagesToForce) checkpoint(this.#path, this.#database);
    else if (missing >= pagesToBegin) this.#begin();
  }

  #begin(): void {
    this.#isRunning = true;
    this.#thread ??= this.#start();
    this.#thread.port.postMessage('begin');
  }

  /** Polls the port instead of waiting for an event: a busy writer runs from group to group without returning to its loop. */
  #endIfDone(): void {
    if (this.#thread !== undefined && receiveMessageOnPort(this.#thread.port) === undefined) return;
    this.#isRunning = false;
    if (this.#missingPages() <= pagesToFinish) checkpoint(this.#path, this.#database);
  }

  #start(): { readonly worker: Worker; readonly port: MessagePort } {
    const { port1: port, port2: theirs } = new MessageChannel();
    const workerData: CheckpointWorkerData = { path: this.#path, port: theirs };
    const worker = new Worker(new URL('./checkpoint-worker.ts', import.meta.url), {
      workerData,
      transferList: [theirs],
    });
    worker.on('error', () => {
      this.#thread = undefined;
    });
    for (const each of [worker, port]) each.unref();
    return { worker, port };
  }

  #missingPages(): number {
    const { log, checkpointed } = this.#look.get() as { log: number; checkpointed: number };
    return log - checkpointed;
  }
}
