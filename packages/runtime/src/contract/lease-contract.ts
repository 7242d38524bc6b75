import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ChandleryError } from '@chandlery/api';
import {
  createLeaseElector,
  type Leadership,
  type LeaseElector,
  type LeaseElectorOptions,
} from '../lease/lease-elector.ts';
import { Complaints } from './test-complaints.ts';
import { freshName, type World } from './test-world.ts';
import { patiently } from './test-yard.ts';

/** Short enough to wait for. A busy machine may lose a lease; no test depends on keeping one. */
const timing = { leaseDurationMs: 3000, renewDeadlineMs: 2500, retryPeriodMs: 100 };

/** Records the present leader and asserts that there is one at a time. */
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

/** The behaviour of lease electors. */
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

  const newestToken = ({ terms }: Bridge) => terms.at(-1)?.token ?? assert.fail('there is no leader');

  describe('a lease elector', () => {
    it('makes one of many lead, and another one when that one gives up', async () => {
      const [bridge, name] = [new Bridge(), freshName()];
      const crew = ['a', 'b', 'c'].map(identity => ({ identity, ...candidate(bridge, name, identity) }));
      const left = new Map<string, LeaseElector>(crew.map(({ identity, elector }) => [identity, elector]));
      while (left.size > 0) {
        const leader = await patiently(() => bridge.leader, { what: 'a leader' });
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

    it('ends a leadership that cannot be renewed before another one begins', async () => {
      const { client } = world();
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
      const oldToken = newestToken(bridge);
      isCut = true;
      const next = candidate(bridge, name, 'next');
      await patiently(() => bridge.leader === 'next', { what: 'the next one to lead' });
      assert.equal(old.elector.isLeader, false);
      assert.ok(newestToken(bridge).value > oldToken.value, 'a later holder has a greater fencing token');
      for (const { elector } of [old, next]) await elector.stop();
      assert.deepEqual([...old.failures, ...next.failures], []);
    });
  });
}
