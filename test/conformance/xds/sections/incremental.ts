import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { offer, setEndpoints } from '../support/declare-service.ts';
import { type MeshLandscape, namespace, portName, refs } from '../support/mesh-landscape.ts';
import { at, ips } from '../support/samples.ts';
import { addressesIn, namesOf, type TestProxy } from '../support/test-proxy.ts';

/** The incremental protocol. */
export function describeIncremental(mesh: () => MeshLandscape): void {
  const open = (account: string): Promise<TestProxy> => mesh().proxy({ account, stream: { mode: 'delta' } });
  const declare = (name: string, account: string, last: number): Promise<string> =>
    offer(mesh(), { name, from: [account], endpoints: ips(last) });

  describe('Incremental', () => {
    test('20a. sends a missing name as removed, and delivers it when it is created', async () => {
      await using proxy = await open('web-20a');
      const name = portName('books-20a');
      proxy.askDelta('endpoints', { subscribe: [name] });
      const missing = await proxy.accept('endpoints');
      assert.deepEqual([missing.removed, missing.resources], [[name], []]);
      await declare('books-20a', 'web-20a', 1);
      const there = await proxy.until('endpoints', ({ resources }) => resources.length > 0);
      assert.deepEqual(addressesIn(proxy, there), at(1));
    });

    test('20b. sends again what is subscribed to again', async () => {
      const name = await declare('books-20b', 'web-20b', 1);
      await using proxy = await open('web-20b');
      proxy.askDelta('endpoints', { subscribe: [name] });
      const first = await proxy.accept('endpoints');
      proxy.askDelta('endpoints', { subscribe: [name] });
      assert.deepEqual((await proxy.next('endpoints')).resources, first.resources);
    });

    test('20c. sends a name that is unsubscribed while a wildcard covers it', async () => {
      const name = await declare('books-20c', 'web-20c', 1);
      await using proxy = await open('web-20c');
      proxy.askDelta('cluster', { subscribe: ['*', name] });
      const first = await proxy.accept('cluster');
      assert.deepEqual(namesOf(first), [name]);
      proxy.askDelta('cluster', { unsubscribe: [name] });
      const again = await proxy.accept('cluster');
      const named = first.resources.filter(resource => resource.name === name);
      assert.deepEqual(again.resources, named, 'the wildcard still covers it');
      const gone = portName('nobody-20c');
      proxy.askDelta('cluster', { subscribe: [gone] });
      assert.deepEqual((await proxy.accept('cluster')).removed, [gone]);
      proxy.askDelta('cluster', { unsubscribe: [gone] });
      assert.deepEqual((await proxy.accept('cluster')).removed, [gone], 'the wildcard does not');
    });

    test('20d. applies a subscription with a stale nonce', async () => {
      const a = await declare('a-20d', 'web-20d', 1);
      const b = await declare('b-20d', 'web-20d', 2);
      await using proxy = await open('web-20d');
      proxy.askDelta('endpoints', { subscribe: [a] });
      const first = await proxy.accept('endpoints');
      await setEndpoints(mesh().client, { name: 'a-20d', endpoints: ips(3) });
      const second = await proxy.accept('endpoints');
      assert.notEqual(second.nonce, first.nonce);
      proxy.askDelta('endpoints', { subscribe: [b], nonce: first.nonce });
      assert.deepEqual(namesOf(await proxy.accept('endpoints')), [b]);
    });

    test('20e. does not send resources that a reconnecting client has, and removes those that it should not have', async () => {
      const a = await declare('a-20e', 'web-20e', 1);
      const b = await declare('b-20e', 'web-20e', 2);
      const known = new Map<string, string>();
      {
        await using proxy = await open('web-20e');
        proxy.askDelta('cluster', { subscribe: ['*'] });
        const all = await proxy.accept('cluster');
        for (const { name, version = '' } of all.resources) known.set(name, version);
        assert.deepEqual(namesOf(all), [a, b]);
      }
      await mesh().client.delete({ ...refs.services, namespace, name: 'b-20e' });
      const c = await declare('c-20e', 'web-20e', 3);
      await using proxy = await open('web-20e');
      proxy.askDelta('cluster', { subscribe: ['*'], initialVersions: Object.fromEntries(known) });
      const news = await proxy.accept('cluster');
      assert.deepEqual([namesOf(news), news.removed], [[c], [b]]);
    });
  });
}
