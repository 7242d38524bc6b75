import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { isError } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import { logicalClusters, named, namespaces } from './landscape-client.ts';
import { isOutage } from './writer.ts';

const rbac = { group: 'rbac.authorization.k8s.io', version: 'v1' };

/** The collections that a logical cluster is born with objects in. */
const collections = [
  namespaces,
  { group: '', version: 'v1', plural: 'serviceaccounts' },
  { ...rbac, plural: 'clusterroles' },
  { ...rbac, plural: 'clusterrolebindings' },
] as const;

export interface ClusterCreatorOptions {
  /** Of the logical cluster `platform`. */
  readonly platform: Client;
  /** Of any logical cluster. */
  readonly clientOf: (cluster: string) => Client;
}

/** Creates logical clusters, each a commit of many objects, and looks whether they are there whole or not at all. */
export class ClusterCreator {
  readonly #options: ClusterCreatorOptions;
  #acknowledged: string[] = [];
  #inDoubt: string[] = [];
  #count = 0;
  #whole: readonly string[] = [];
  /** How many writes in doubt turned out to have happened. */
  survivors = 0;

  constructor(options: ClusterCreatorOptions) {
    this.#options = options;
  }

  /** Creates the first one, which shows what belongs to one. */
  async start(): Promise<void> {
    await this.#options.platform.create(logicalClusters, logicalCluster('whole'));
    this.#whole = await this.#contents('whole');
    assert.ok(this.#whole.length > 10, `a new logical cluster holds only ${this.#whole.join(', ')}`);
  }

  /** Creates some until the first outage or until stopped. */
  async runUntilOutage(stop: AbortSignal): Promise<void> {
    while (!stop.aborted) {
      const name = `made-${++this.#count}`;
      try {
        await this.#options.platform.create(logicalClusters, logicalCluster(name));
        this.#acknowledged.push(name);
      } catch (error) {
        if (!isOutage(error)) throw error;
        this.#inDoubt.push(name);
        return;
      }
      await sleep(40);
    }
  }

  /** Checks those created since the last time. */
  async settle(): Promise<void> {
    for (const name of this.#acknowledged) assert.deepEqual(await this.#contents(name), this.#whole, name);
    for (const name of this.#inDoubt) {
      if (!(await this.#isThere(name))) continue;
      this.survivors++;
      assert.deepEqual(await this.#contents(name), this.#whole, `${name}, whose creation was in doubt, is not whole`);
    }
    this.#acknowledged = [];
    this.#inDoubt = [];
  }

  async #isThere(name: string): Promise<boolean> {
    try {
      await this.#options.platform.get(named(logicalClusters, name));
      return true;
    } catch (error) {
      if (isError(error, 'NotFound')) return false;
      throw error;
    }
  }

  async #contents(cluster: string): Promise<readonly string[]> {
    await using client = this.#options.clientOf(cluster);
    const lists = await Promise.all(
      collections.map(async collection => [collection.plural, await client.list(collection)] as const),
    );
    return lists.flatMap(([plural, { items }]) =>
      items.map(({ metadata }) => `${plural} ${metadata.namespace ?? ''} ${metadata.name}`),
    );
  }
}

const logicalCluster = (name: string) => ({
  apiVersion: 'core.chandlery.io/v1alpha1',
  kind: 'LogicalCluster',
  metadata: { name },
});
