import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { isError, type KubeObject } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import { configMaps, named } from './landscape-client.ts';
import { Ledger } from './ledger.ts';
import type { Seeded } from './seeded.ts';
import { parityOf, revisionOf, stepObject } from './step-object.ts';

/** Errors that say "not now", with an unknown effect or none. */
export const isOutage = (error: unknown): boolean =>
  isError(error, 'ConnectionFailed', 'Timeout', 'ServiceUnavailable', 'UnexpectedAnswer');

/** How long to leave alone who said so. */
export const outageMs = 50;

/** Errors that can only come from a write of ours that was in doubt and took effect after we had looked. */
const isOvertaken = (error: unknown): boolean => isError(error, 'Conflict', 'AlreadyExists', 'NotFound');

export interface WriterOptions {
  /** Where to write; called for each write, so that a test can spread the writes over replicas. */
  readonly client: () => Client;
  readonly random: Seeded;
  /** The writer's names begin with it. */
  readonly prefix: string;
  /** How many names it uses. Default 12. */
  readonly names?: number;
  /** The longest rest, asked after each write. Default 0: it writes as fast as it is answered. */
  readonly maxRestMs?: () => number;
}

/** Writes all the time, in every way the API offers, always on condition of the state that it knows. */
export class Writer {
  readonly ledger = new Ledger();
  readonly #options: WriterOptions;

  constructor(options: WriterOptions) {
    this.#options = options;
  }

  /** Until the first outage or until stopped. */
  async runUntilOutage(stop: AbortSignal): Promise<void> {
    while (!stop.aborted && (await this.step()));
  }

  /** Until stopped, whatever happens meanwhile. */
  async run(stop: AbortSignal): Promise<void> {
    const { random, maxRestMs } = this.#options;
    while (!stop.aborted) {
      const isWritten = await this.step();
      const maxMs = maxRestMs?.() ?? 0;
      if (!isWritten || maxMs > 0) await sleep(isWritten ? random.between(0, maxMs) : outageMs);
    }
  }

  /** One write; false when it met an outage. */
  async step(): Promise<boolean> {
    const { random, prefix, names = 12 } = this.#options;
    const name = `${prefix}-${random.between(1, names)}`;
    try {
      if (this.ledger.doubt(name) !== undefined) await this.#settle(name);
      await this.#write(name);
      return true;
    } catch (error) {
      if (!isOutage(error)) throw error;
      return false;
    }
  }

  async #settle(name: string): Promise<void> {
    this.ledger.settle(name, await this.#read(name));
  }

  async #read(name: string): Promise<KubeObject | undefined> {
    try {
      return await this.#options.client().get(named(configMaps, name));
    } catch (error) {
      if (isError(error, 'NotFound')) return undefined;
      throw error;
    }
  }

  async #write(name: string): Promise<void> {
    const { exists, step } = this.ledger.known(name);
    const isDeletion = exists && this.#options.random.next() < 0.15;
    const wanted = isDeletion ? { step, exists: false } : { step: step + 1, exists: true };
    this.ledger.begin(name, wanted);
    try {
      const written = isDeletion ? await this.#delete(name) : await this.#put(name, exists);
      this.ledger.acknowledge(name, wanted, written === undefined ? 0 : revisionOf(written));
    } catch (error) {
      if (!isOvertaken(error)) throw error;
      const wasLate = this.ledger.settle(name, await this.#read(name));
      assert.ok(wasLate, `${name}: rejected although it has no other writer: ${(error as Error).message}`);
    }
  }

  #put(name: string, exists: boolean): Promise<KubeObject> {
    const client = this.#options.client();
    const { step, revision } = this.ledger.known(name);
    const place = named(configMaps, name);
    if (!exists) return client.create(configMaps, stepObject(name, step + 1));
    const next = stepObject(name, step + 1, String(revision));
    switch (this.#options.random.pick(['update', 'merge', 'strategic', 'json'] as const)) {
      case 'update':
        return client.update(place, next);
      case 'merge':
        return client.patch(place, {
          type: 'merge',
          body: { metadata: { ...next.metadata } as never, data: next.data },
        });
      case 'strategic':
        return client.patch(place, {
          type: 'strategic',
          body: { metadata: { ...next.metadata } as never, data: next.data },
        });
      case 'json':
        return client.patch(place, { type: 'json', body: jsonPatch(step, revision) });
    }
  }

  async #delete(name: string): Promise<undefined> {
    const resourceVersion = String(this.ledger.known(name).revision);
    await this.#options.client().delete(named(configMaps, name), { preconditions: { resourceVersion } });
  }
}

const jsonPatch = (step: number, revision: number) => [
  { op: 'test', path: '/metadata/resourceVersion', value: String(revision) },
  { op: 'test', path: '/data/step', value: String(step) },
  { op: 'replace', path: '/data/step', value: String(step + 1) },
  { op: 'replace', path: '/metadata/labels/parity', value: parityOf(step + 1) },
];
