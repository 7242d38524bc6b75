import { setTimeout as sleep } from 'node:timers/promises';
import { isError, toError } from '@chandlery/api';
import type { Client, ResourceRef, WatchEvent } from '@chandlery/client';
import { eventually } from '@chandlery/testing';
import type { SeenEvent } from './event-chain.ts';
import { revisionOf, stepOf } from './step-object.ts';

export interface FollowerOptions {
  /** Called for each connection, so that a test can send the watcher to another replica. */
  readonly client: () => Client;
  readonly collection: ResourceRef;
  /** Follows changes after it. */
  readonly revision: string;
  readonly labelSelector?: string;
  /** Lets the server end the watch this often, so that it is resumed in quiet times too. Default: it does not. */
  readonly timeoutSeconds?: number;
}

/** A watcher that reconnects after every break with the last revision that it got, by event or by bookmark. */
export class Follower implements AsyncDisposable {
  readonly events: SeenEvent[] = [];
  /** How often it connected. */
  connections = 0;
  readonly #options: FollowerOptions;
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;
  #position: string;
  #failure: Error | undefined;

  constructor(options: FollowerOptions) {
    this.#options = options;
    this.#position = options.revision;
    this.#running = this.#run();
  }

  /** Waits until it has seen the given object at the given revision or later, and everything before. */
  async reach(name: string, revision: number): Promise<void> {
    const isThere = (): boolean => {
      if (this.#failure !== undefined) return true;
      return this.events.some(event => event.name === name && event.revision >= revision);
    };
    await eventually(isThere, {
      timeoutMs: 60_000,
      what: `a watcher at ${this.#position} to see ${name} at ${revision}`,
    });
    if (this.#failure !== undefined) throw this.#failure;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#stopping.signal.aborted && this.#failure === undefined) {
      try {
        await this.#watchOnce();
      } catch (error) {
        // Compacted history would be a gap; everything else is a break to recover from.
        if (isError(error, 'Expired', 'Gone', 'Invalid', 'BadRequest', 'Forbidden')) this.#failure = toError(error);
        await sleep(50);
      }
    }
  }

  async #watchOnce(): Promise<void> {
    const { client, collection, labelSelector, timeoutSeconds } = this.#options;
    this.connections++;
    const watch = client().watch(collection, {
      resourceVersion: this.#position,
      signal: this.#stopping.signal,
      ...(labelSelector === undefined ? {} : { labelSelector }),
      ...(timeoutSeconds === undefined ? {} : { timeoutSeconds }),
    });
    for await (const event of watch) this.#take(event);
  }

  #take({ type, object }: WatchEvent): void {
    this.#position = object.metadata.resourceVersion ?? this.#position;
    if (type === 'BOOKMARK' || Number.isNaN(stepOf(object))) return;
    const { name = '' } = object.metadata;
    this.events.push({ type, name, revision: revisionOf(object), step: stepOf(object) });
  }
}
