import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Client } from '@chandlery/client';
import { eventually, startTestPlane } from '@chandlery/testing';
import { labelsFor } from '../../model/access/access-names.ts';
import { Targets } from './targets.ts';
import { core, granter, namespace } from './test-access.ts';

/** Counts the watches that are open. */
function counted(client: Client): { readonly client: Client; readonly count: { open: number } } {
  const count = { open: 0 };
  const watch: Client['watch'] = async function* (ref, options) {
    count.open += 1;
    try {
      yield* client.watch(ref, options);
    } finally {
      count.open -= 1;
    }
  };
  const get = (target: Client, name: string | symbol): unknown => {
    const member: unknown = name === 'watch' ? watch : Reflect.get(target, name);
    return typeof member === 'function' ? (member.bind(target) as unknown) : member;
  };
  return { client: new Proxy(client, { get }), count };
}

const account = (name: string) => ({
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  metadata: { name, labels: { ...labelsFor(granter, { namespace: 'n', name }) } },
});

describe('the clusters that requests use', () => {
  test('are watched once, from the first request to the last', async () => {
    await using plane = await startTestPlane();
    const { client, count } = counted(plane.client);
    await using targets = new Targets({ granter, enqueue: () => undefined });
    targets.use('n/c', client, { key: 'n/a', namespaces: [] });
    targets.use('n/c', client, { key: 'n/b', namespaces: [] });
    targets.use('n/c', client, { key: 'n/a', namespaces: [] });
    await eventually(() => count.open === 6);
    targets.release('n/a');
    assert.equal(targets.size, 1);
    targets.release('n/b');
    assert.equal(targets.size, 0);
    await eventually(() => count.open === 0);
  });

  test('are watched by another client when their source has a new one', async () => {
    await using plane = await startTestPlane();
    const old = counted(plane.client);
    const fresh = counted(plane.client);
    await using targets = new Targets({ granter, enqueue: () => undefined });
    targets.use('n/c', old.client, { key: 'n/a', namespaces: [] });
    await eventually(() => old.count.open === 6);
    targets.use('n/c', fresh.client, { key: 'n/a', namespaces: [] });
    await eventually(() => old.count.open === 0 && fresh.count.open === 6);
  });

  test('wake just the request whose things have changed', async () => {
    await using plane = await startTestPlane();
    const woken: string[] = [];
    await using targets = new Targets({ granter, enqueue: key => woken.push(key) });
    for (const name of ['a', 'b']) targets.use('n/c', plane.client, { key: `n/${name}`, namespaces: [`for-${name}`] });
    await eventually(() => woken.length === 2);
    woken.length = 0;
    const accounts = { ...core, plural: 'serviceaccounts', namespace: 'default' };
    await plane.client.create(accounts, account('stranger'));
    await plane.client.create(accounts, account('a'));
    await eventually(() => woken.includes('n/a'));
    await plane.client.create({ ...core, plural: 'namespaces' }, namespace('for-b'));
    await eventually(() => woken.includes('n/b'));
    assert.deepEqual(new Set(woken.slice(0, woken.indexOf('n/b'))), new Set(['n/a']));
  });
});
