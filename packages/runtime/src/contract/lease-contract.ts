import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ChandleryError, isError, type KubeObject } from '@chandlery/api';
import {
  createLeaseElector,
  type Leadership,
  type LeaseElector,
  type LeaseElectorOptions,
} from '../lease/lease-elector.ts';
import { createShards, type Shards } from '../lease/shards.ts';
import { withFence } from '../lease/with-fence.ts';
import { Complaints } from './test-complaints.ts';
import { freshName, type World } from './test-world.ts';
import { patiently } from './test-yard.ts';

/** Short enough to wait for; a busy machine may lose a lease, which no test takes amiss. */
const timing = { leaseDurationMs: 3000, renewDeadlineMs: 2500, retryPeriodMs: 100 };
const shardCount = 16;

/** Who leads now; insists that it is one at a time. */
class Bridge {
  readonly terms: Leadership[] = [];
  #leader: string | undefined;

  lead(identity: string, leadership: Leadership): void {
    assert.equal(this.#leader, undefined, `${identity} leads beside ${this.#leader}`);
    this.#leader = identity;
    this.terms.push(leadership);
    leadership.signal.addEventListener('abort', () => {
      this.#leader = undefined;
    });
  }

  get leader(): string | undefined {
    return this.#leader;
  }
}

/** Leases and what rests on them. */
export function describeLeases(world: () => World): void {
  /** Takes part in the election of a bridge; failures of `lead` are collected. */
  function candidate(bridge: Bridge, name: string, identity: string, more: Partial<LeaseElectorOptions> = {}) {
    const { client, namespace } = world();
    const { failures, onError } = new Complaints();
    const lead = (leadership: Leadership): void => bridge.lead(identity, leadership);
    const elector = createLeaseElector({ client, namespace, name, identity, lead, onError, ...timing, ...more });
    elector.start();
    return { elector, failures };
  }

  const newestToken = ({ terms }: Bridge) => terms.at(-1)?.token ?? assert.fail('nobody leads');

  describe('a lease elector', () => {
    it('makes one of many lead, and another one when that one gives up', async () => {
      const [bridge, name] = [new Bridge(), freshName()];
      const crew = ['a', 'b', 'c'].map(identity => ({ identity, ...candidate(bridge, name, identity) }));
      const left = new Map<string, LeaseElector>(crew.map(({ identity, elector }) => [identity, elector]));
      while (left.size > 0) {
        const leader = await patiently(() => bridge.leader, { what: 'somebody to lead' });
        await left.get(leader)?.stop();
        left.delete(leader);
      }
      const tokens = bridge.terms.map(({ token }) => token.value);
      assert.deepEqual(
        tokens,
        [...new Set(tokens)].sort((a, b) => a - b),
      );
      assert.deepEqual(
        crew.flatMap(({ failures }) => failures),
        [],
      );
    });

    it('ends a leadership that cannot be renewed, and its late writes are refused', async () => {
      const { client, maps } = world();
      const [bridge, name] = [new Bridge(), freshName()];
      let isCut = false;
      const cut = <T>(call: () => Promise<T>): Promise<T> =>
        isCut ? Promise.reject(new ChandleryError('ConnectionFailed', 'the cable is cut')) : call();
      const old = candidate(bridge, name, 'old', {
        client: {
          get: (...args) => cut(() => client.get(...args)),
          create: (...args) => cut(() => client.create(...args)),
          update: (...args) => cut(() => client.update(...args)),
        },
      });
      await patiently(() => bridge.leader === 'old');
      const oldWriter = withFence(client, newestToken(bridge));
      const log: KubeObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } };
      await oldWriter.create(maps, log);
      isCut = true;
      const next = candidate(bridge, name, 'next');
      await patiently(() => bridge.leader === 'next', { what: 'the next one to lead' });
      const write = (course: string) => ({ type: 'merge', body: { data: { course } } }) as const;
      await withFence(client, newestToken(bridge)).patch({ ...maps, name }, write('north'));
      await assert.rejects(oldWriter.patch({ ...maps, name }, write('south')), error => isError(error, 'Fenced'));
      assert.deepEqual((await client.get({ ...maps, name }))['data'], { course: 'north' });
      for (const { elector } of [old, next]) await elector.stop();
      assert.deepEqual([...old.failures, ...next.failures], []);
    });
  });

  describe('shards', () => {
    it('are shared out among members, one owner each, and taken over from who leaves', async () => {
      const { client, namespace } = world();
      const group = freshName();
      const owners = new Map<number, string>();
      const { failures, onError } = new Complaints();
      const join = (identity: string): Shards => {
        const onGained = (gained: readonly number[]): void => {
          for (const shard of gained) {
            assert.equal(owners.get(shard), undefined, `shard ${shard} has two owners`);
            owners.set(shard, identity);
          }
        };
        const onLost = (lost: readonly number[]): void => {
          for (const shard of lost) owners.delete(shard);
        };
        const options = {
          client,
          namespace,
          group,
          identity,
          shards: shardCount,
          onGained,
          onLost,
          onError,
          ...timing,
        };
        const shards = createShards(options);
        shards.start();
        return shards;
      };
      const numbersOf = (...all: Shards[]): number[] => all.flatMap(({ owned }) => owned).sort((a, b) => a - b);
      const everyShard = Array.from({ length: shardCount }, (_, shard) => shard);
      await using a = join('a');
      await patiently(() => numbersOf(a).length === shardCount);
      await using b = join('b');
      await patiently(() => b.owned.length > 0 && numbersOf(a, b).length === shardCount);
      assert.deepEqual(numbersOf(a, b), everyShard);
      await a.stop();
      await patiently(() => b.owned.length === shardCount);
      assert.deepEqual([a.owned, failures], [[], []]);
    });
  });
}
