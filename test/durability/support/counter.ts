import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { isError } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import { configMaps, named } from './landscape-client.ts';
import type { Seeded } from './seeded.ts';
import { stepObject, stepOf } from './step-object.ts';
import { isOutage, outageMs } from './writer.ts';

/** One object that many writers count up at once, by optimistic concurrency. A lost update shows in the sum. */
export class Counter {
  readonly name: string;
  #acknowledged = 0;
  #inDoubt = 0;
  conflicts = 0;

  constructor(name: string) {
    this.name = name;
  }

  get acknowledged(): number {
    return this.#acknowledged;
  }

  async create(client: Client): Promise<void> {
    await client.create(configMaps, stepObject(this.name, 1));
    this.#acknowledged = 1;
  }

  /** Adds one, unless another writer was faster; false when there is an outage. */
  async increment(client: Client): Promise<boolean> {
    let isSent = false;
    try {
      const live = await client.get(named(configMaps, this.name));
      isSent = true;
      await client.update(
        named(configMaps, this.name),
        stepObject(this.name, stepOf(live) + 1, live.metadata.resourceVersion),
      );
      this.#acknowledged++;
    } catch (error) {
      if (isError(error, 'Conflict')) this.conflicts++;
      else if (!isOutage(error)) throw error;
      else if (isSent) this.#inDoubt++;
      return isError(error, 'Conflict');
    }
    return true;
  }

  /** Counts until the first outage or until stopped. */
  async runUntilOutage(client: () => Client, random: Seeded, stop: AbortSignal): Promise<void> {
    while (!stop.aborted && (await this.increment(client()))) await sleep(random.between(0, 4));
  }

  /** Counts until stopped. The longest pause is asked for after each round; by default it is short. */
  async run(client: () => Client, random: Seeded, stop: AbortSignal, maxRestMs = () => 4): Promise<void> {
    while (!stop.aborted) await sleep((await this.increment(client())) ? random.between(0, maxRestMs()) : outageMs);
  }

  /** Compares with what is really there; what is there counts from then on. */
  async settle(client: Client): Promise<void> {
    const value = stepOf(await client.get(named(configMaps, this.name)));
    const most = this.#acknowledged + this.#inDoubt;
    assert.ok(
      value >= this.#acknowledged && value <= most,
      `${this.name} is ${value}; acknowledged were ${this.#acknowledged}, and ${this.#inDoubt} are in doubt`,
    );
    this.#acknowledged = value;
    this.#inDoubt = 0;
  }
}
