import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, describe, test } from 'node:test';
import type { TLSSocket } from 'node:tls';
import { parse } from 'yaml';
import { type HostileLandscape, startHostileLandscape } from './support/hostile-landscape.ts';
import { configMap, corePath, create, expectStatus } from './support/objects.ts';
import { connectMany } from './support/raw-connection.ts';

let hostile: HostileLandscape;

const mebibyte = 1024 * 1024;
const maps = (namespace: string): string => `${corePath('shop', namespace)}/configmaps`;
/** 600 objects of 10 KB: more than a watch may have waiting. */
const manyCount = 600;
/** 100 objects of 300 KB. */
const largeCount = 100;

before(async () => {
  hostile = await startHostileLandscape();
  await fill('many', manyCount, 10_000);
  await fill('large', largeCount, 300_000);
});
after(async () => {
  await hostile?.expectHealthy();
  await hostile?.[Symbol.asyncDispose]();
});

async function fill(namespace: string, count: number, bytes: number): Promise<void> {
  const { admin } = hostile;
  await create(admin, `${corePath('shop')}/namespaces`, {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: namespace },
  });
  const names = Array.from({ length: count }, (_, index) => `c${String(index).padStart(4, '0')}`);
  for (let start = 0; start < count; start += 50) {
    const some = names.slice(start, start + 50);
    await Promise.all(some.map(name => create(admin, maps(namespace), configMap(name, { a: 'x'.repeat(bytes) }))));
  }
}

const memory = (): Promise<number> => hostile.metric('process_resident_memory_bytes');

/** Asks on many connections, and reads nothing of what comes. */
async function askWithoutReading(path: string, count: number, headers: readonly string[] = []): Promise<TLSSocket[]> {
  const { landscape } = hostile;
  const sockets = await connectMany(landscape, count);
  const lines = [`GET ${path} HTTP/1.1`, 'Host: x', `Authorization: Bearer ${landscape.token}`, ...headers];
  for (const socket of sockets) {
    socket.pause();
    socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  }
  return sockets;
}

describe('unread lists of 30 MB', () => {
  const representations: readonly (readonly [string, string])[] = [
    ['JSON', 'application/json'],
    ['tables with whole objects', 'application/json;as=Table;v=v1;g=meta.k8s.io'],
  ];
  for (const [what, accept] of representations)
    test(`are not held in memory, and delay no other request: ${what}`, async () => {
      const path = `${maps('large')}?includeObject=Object`;
      const earlier = await memory();
      const sockets = await askWithoutReading(path, 50, [`Accept: ${accept}`]);
      await Promise.all(sockets.map(socket => once(socket, 'readable')));
      for (let round = 0; round < 10; round++) expectStatus(await hostile.admin.send(`${maps('many')}/c0001`), 200);
      const grown = (await memory()) - earlier;
      for (const socket of sockets) socket.destroy();
      assert.ok(grown < 600 * mebibyte, `the process grew by ${Math.round(grown / mebibyte)} MiB`);
    });
});

describe('long lists are complete in every representation', () => {
  const get = async (query: string, accept: string) =>
    expectStatus(await hostile.admin.send(`${maps('many')}${query}`, { headers: { accept } }), 200);
  interface Listed {
    kind: string;
    metadata: { resourceVersion: string; continue?: string };
    items: { metadata: { name: string }; data?: { a: string } }[];
    rows: { cells: string[]; object: { metadata: { name: string } } }[];
  }
  const names = Array.from({ length: manyCount }, (_, index) => `c${String(index).padStart(4, '0')}`);
  const namesOf = (list: Listed): string[] => list.items.map(({ metadata }) => metadata.name);

  test('JSON', async () => {
    const list = (await get('', 'application/json')).json<Listed>();
    assert.equal(list.kind, 'ConfigMapList');
    assert.deepEqual(namesOf(list), names);
    assert.ok(list.items.every(({ data }) => data?.a.length === 10_000));
    assert.equal(list.metadata.continue, undefined);
  });

  test('indented JSON', async () => {
    const { text } = await get('?pretty=true', 'application/json');
    assert.equal(text, `${JSON.stringify(JSON.parse(text), null, 2)}\n`);
    assert.deepEqual(namesOf(JSON.parse(text) as Listed), names);
  });

  test('a table', async () => {
    const list = (await get('', 'application/json;as=Table;v=v1;g=meta.k8s.io')).json<Listed>();
    assert.deepEqual(
      list.rows.map(({ cells }) => cells[0]),
      names,
    );
    assert.equal(list.rows[0]?.object.metadata.name, 'c0000');
  });

  test('metadata', async () => {
    const accept = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io';
    const list = (await get('', accept)).json<Listed>();
    assert.equal(list.kind, 'PartialObjectMetadataList');
    assert.deepEqual(namesOf(list), names);
  });

  test('YAML', async () => {
    const list = parse((await get('', 'application/yaml')).text) as Listed;
    assert.equal(list.kind, 'ConfigMapList');
    assert.deepEqual(namesOf(list), names);
  });

  test('pages of any size that a client asks for', async () => {
    const seen: string[] = [];
    for (let next: string | undefined = ''; next !== undefined; ) {
      const page: Listed = (await get(`?limit=550&continue=${encodeURIComponent(next)}`, 'application/json')).json();
      seen.push(...namesOf(page));
      next = page.metadata.continue;
    }
    assert.deepEqual(seen, names);
  });

  test('and show one state, whatever is written meanwhile', async () => {
    const { admin } = hostile;
    const response = await admin.open(maps('large'));
    await create(admin, maps('large'), configMap('zz-later', { a: 'x' }));
    const list = (await response.body.json()) as Listed;
    assert.equal(list.items.length, largeCount);
    expectStatus(await admin.send(`${maps('large')}/zz-later`, { method: 'DELETE' }), 200);
  });
});

describe('watches with more than 4 MiB at once', () => {
  interface Event {
    type: string;
    object: { metadata: { name: string; resourceVersion: string } };
  }

  /** The first events of a watch. */
  async function readEvents(path: string, count: number): Promise<Event[]> {
    const { body, statusCode } = await hostile.admin.open(path);
    assert.equal(statusCode, 200);
    const chunks: Buffer[] = [];
    let lines = 0;
    for await (const chunk of body) {
      chunks.push(chunk as Buffer);
      for (const byte of chunk as Buffer) if (byte === 10) lines += 1;
      if (lines >= count) break;
    }
    const text = Buffer.concat(chunks).toString();
    const whole = text.slice(0, text.lastIndexOf('\n')).split('\n').filter(Boolean);
    return whole.slice(0, count).map(line => JSON.parse(line) as Event);
  }

  const streaming = 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
  for (const query of ['', '&resourceVersion=0', `&${streaming}`, '&labelSelector=!nothing'])
    test(`send all of their initial events: watch=1${query}`, async () => {
      const events = await readEvents(`${maps('many')}?watch=1&timeoutSeconds=60${query}`, manyCount);
      assert.equal(events.length, manyCount);
      assert.ok(events.every(({ type }) => type === 'ADDED'));
      assert.equal(new Set(events.map(({ object }) => object.metadata.name)).size, manyCount);
    });

  for (const selector of ['', '&labelSelector=!nothing'])
    test(`resume behind 8 MB of history${selector}`, async () => {
      const { admin } = hostile;
      const namespace = selector === '' ? 'resumed' : 'resumed-selected';
      await fill(namespace, 1, 10);
      const { metadata } = expectStatus(await admin.send(maps(namespace)), 200).json();
      for (let index = 0; index < 8; index++)
        await create(admin, maps(namespace), configMap(`late-${index}`, { a: 'x'.repeat(1_000_000) }));
      const path = `${maps(namespace)}?watch=1&timeoutSeconds=60&resourceVersion=${metadata.resourceVersion}`;
      const events = await readEvents(`${path}${selector}`, 8);
      assert.deepEqual(
        events.map(({ object }) => object.metadata.name),
        Array.from({ length: 8 }, (_, index) => `late-${index}`),
      );
    });

  test('get all of what is written at once', async () => {
    const { admin } = hostile;
    await fill('burst', 1, 10);
    const { metadata } = expectStatus(await admin.send(maps('burst')), 200).json();
    const watching = readEvents(
      `${maps('burst')}?watch=1&timeoutSeconds=60&resourceVersion=${metadata.resourceVersion}`,
      40,
    );
    const body = (index: number) => configMap(`b-${index}`, { a: 'x'.repeat(300_000) });
    await Promise.all(Array.from({ length: 40 }, (_, index) => create(admin, maps('burst'), body(index))));
    assert.equal((await watching).length, 40);
  });
});
