import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { isError } from '@chandlery/api';
import { eventually } from '@chandlery/testing';
import type { CloudInstance } from '../../../../apps/proxy/src/adapters/cloud-foundry/test-cloud-consumer.ts';
import { collections, getObject, readyOf, serviceBinding } from './objects-of-cluster.ts';
import { isOutage, persist } from './persist.ts';
import { patience } from './story-step.ts';
import { place, type StoryWorld } from './story-world.ts';

/** Users of both platforms who bind and unbind without a pause: those of A the database, those of B their queue. */
export class SteadyCalls {
  readonly #world: StoryWorld;
  readonly #running: Promise<unknown>;
  readonly #rounds = { cluster: 0, cloud: 0 };
  readonly #leaving = new AbortController();
  #isStopping = false;
  /** Failures other than a server that was not reachable. */
  readonly #refusals: string[] = [];
  #outages = 0;

  constructor(world: StoryWorld, queue: CloudInstance) {
    this.#world = world;
    const turn = async (who: 'cluster' | 'cloud', round: (count: number) => Promise<void>): Promise<void> => {
      while (!this.#isStopping) {
        await round(this.#rounds[who]);
        this.#rounds[who] += 1;
      }
    };
    this.#running = Promise.all([
      turn('cluster', count => this.#bindOnCluster(`steady-${count}`)),
      turn('cloud', () => this.#bindOnCloud(queue)),
    ]);
    this.#running.catch((error: unknown) => this.#refusals.push(String(error)));
  }

  /** The number of calls while the server was not reachable. */
  get outages(): number {
    return this.#outages;
  }

  /** Waits until users of both platforms have bound and unbound once more from beginning to end. None may have been refused. */
  async anotherRound(): Promise<void> {
    const { cluster, cloud } = { ...this.#rounds };
    await eventually(
      () => this.#refusals.length > 0 || (this.#rounds.cluster > cluster + 1 && this.#rounds.cloud > cloud + 1),
      { ...patience, what: 'another binding on each platform' },
    );
    assert.deepEqual(this.#refusals, []);
  }

  /** Lets all end what they began. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    const tooLong = setTimeout(() => this.#leaving.abort(), patience.timeoutMs);
    await this.#running.finally(() => clearTimeout(tooLong));
    assert.deepEqual(this.#refusals, []);
  }

  /** Leaves everything as it is. */
  leave(): void {
    this.#isStopping = true;
    this.#leaving.abort();
  }

  #pause(): Promise<void> {
    return sleep(20, undefined, { signal: this.#leaving.signal });
  }

  async #bindOnCloud(queue: CloudInstance): Promise<void> {
    const { consumer } = this.#world.cloud;
    const binding = await this.#noting(() => consumer.createBinding(place, queue));
    await this.#noting(() => consumer.deleteBinding(binding));
  }

  /** Does something until it works, and takes down why it did not. */
  async #noting<T>(work: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if (isOutage(error)) this.#outages += 1;
        else this.#refusals.push(`cloud: ${String(error)}`);
        await this.#pause();
      }
    }
  }

  async #bindOnCluster(name: string): Promise<void> {
    const { clusterClient } = this.#world;
    const ref = collections.serviceBindings;
    await persist(() => clusterClient.create(ref, serviceBinding(name)).catch(unless('AlreadyExists')));
    while (!(await this.#isBound(name))) await this.#pause();
    await persist(() => clusterClient.delete({ ...ref, name }).catch(unless('NotFound')));
    while (await this.#isThere(name)) await this.#pause();
  }

  async #isBound(name: string): Promise<boolean> {
    const ready = readyOf(await persist(() => getObject(this.#world, collections.serviceBindings, name)));
    this.#takeDown(ready);
    return ready?.status === 'True';
  }

  async #isThere(name: string): Promise<boolean> {
    try {
      this.#takeDown(readyOf(await persist(() => getObject(this.#world, collections.serviceBindings, name))));
      return true;
    } catch (error) {
      if (isError(error, 'NotFound')) return false;
      throw error;
    }
  }

  #takeDown(ready: ReturnType<typeof readyOf>): void {
    const { reason = '', message = '' } = ready ?? {};
    if (!reason.endsWith('Failed')) return;
    if (/answered 4/.test(message)) this.#refusals.push(`cluster: ${message}`);
    else this.#outages += 1;
  }
}

const unless = (code: string) => (error: unknown) => {
  if (!isError(error, code)) throw error;
};
