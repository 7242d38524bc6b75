import assert from 'node:assert/strict';
import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { after, before, describe, test } from 'node:test';
import type { KubeObject } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import { restore } from '@chandlery/server';
import { eventually, startPostgres, startTestLandscape, type TestLandscape, tempFolder } from '@chandlery/testing';
import { startWork } from './support/background-work.ts';
import { checkChain } from './support/event-chain.ts';
import { Follower } from './support/follower.ts';
import { clientOf, configMaps, logicalClusters, named, secrets } from './support/landscape-client.ts';
import { Seeded } from './support/seeded.ts';
import { revisionOf, stepObject, stepOf } from './support/step-object.ts';
import { Writer } from './support/writer.ts';

const secretWord = Buffer.from('hidden').toString('base64');

/** Makes one of each sort of thing that a backup must keep. */
async function furnish(landscape: TestLandscape, client: Client): Promise<KubeObject> {
  const team = await landscape.createCluster('team');
  const made = await team.kubectl(['create', 'configmap', 'inside', '--from-literal=a=b']);
  assert.equal(made.code, 0, made.stderr);
  const body = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'word' }, data: { word: secretWord } };
  return await client.create(secrets, body);
}

/** Takes a backup over the API, as the operator does. */
async function takeBackup({ url, ca, token }: TestLandscape, file: string): Promise<void> {
  await using root = clientOf({ url, ca, token }, 'platform');
  const { body } = await root.raw('/admin/backup', { isFromRoot: true });
  await pipeline(body, createWriteStream(file));
}

/** The ConfigMaps after the event with the given revision. */
function stateAt(follower: Follower, revision: number): [string, number, number][] {
  const live = checkChain(follower.events.filter(event => event.revision <= revision));
  return [...live].map(([name, at]): [string, number, number] => [name, at.step, at.revision]).sort(byFirst);
}

const stateOf = (items: readonly KubeObject[]): [string, number, number][] =>
  items
    .filter(item => !Number.isNaN(stepOf(item)))
    .map((item): [string, number, number] => [item.metadata.name ?? '', stepOf(item), revisionOf(item)])
    .sort(byFirst);

const byFirst = ([left]: readonly [string, ...unknown[]], [right]: readonly [string, ...unknown[]]): number =>
  left < right ? -1 : 1;

/** A landscape with one of each sort of thing, and a watcher that has seen everything since. */
interface Origin extends AsyncDisposable {
  readonly landscape: TestLandscape;
  readonly client: Client;
  readonly secret: KubeObject;
  readonly follower: Follower;
}

async function startOrigin(database?: string): Promise<Origin> {
  await using stack = new AsyncDisposableStack();
  const landscape = stack.use(await startTestLandscape(database === undefined ? {} : { database }));
  const client = stack.use(clientOf(landscape, 'onboarding'));
  const secret = await furnish(landscape, client);
  const revision = secret.metadata.resourceVersion ?? '';
  const follower = stack.use(new Follower({ client: () => client, collection: configMaps, revision }));
  const all = stack.move();
  return { landscape, client, secret, follower, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

/** Backs up a landscape under load, and checks what a landscape restored from it shows. The prefix is used once. */
async function backUpAndRestore(origin: Origin, prefix: string, target?: string): Promise<void> {
  const { landscape, client, secret, follower } = origin;
  await using folder = await tempFolder();
  const file = folder.join('backup.gz');
  const writers = [1, 2, 3].map(
    no => new Writer({ client: () => client, random: new Seeded(no), prefix: `${prefix}-w${no}` }),
  );
  await using work = startWork(stop => writers.map(writer => writer.run(stop)));
  await eventually(() => writers.every(({ ledger }) => ledger.acknowledged >= 20), { timeoutMs: 60_000 });
  await takeBackup(landscape, file);
  await work.stop();
  const last = await client.create(configMaps, stepObject(`${prefix}-last`, 1));
  await follower.reach(`${prefix}-last`, revisionOf(last));

  const dataDir = folder.join('restored');
  const { revision } = await restore({ dataDir, file, ...(target === undefined ? {} : { database: target }) });
  await using restored = await startTestLandscape({ dataDir, ...(target === undefined ? {} : { database: target }) });
  await using copy = clientOf(restored, 'onboarding');
  const { items } = await copy.list(configMaps);
  assert.deepEqual(stateOf(items), stateAt(follower, revision), `it is not the state of revision ${revision}`);
  assert.ok(items.some(({ metadata }) => metadata.name?.startsWith(prefix)));
  assert.deepEqual(await copy.get(named(secrets, 'word')), secret);
  await using originPlatform = clientOf(landscape, 'platform');
  await using copyPlatform = clientOf(restored, 'platform');
  const clusters = async (platform: Client) => (await platform.list(logicalClusters)).items;
  assert.deepEqual(await clusters(copyPlatform), await clusters(originPlatform));
  const inside = '/clusters/team/api/v1/namespaces/default/configmaps/inside';
  assert.equal((await restored.request(inside)).text, (await landscape.request(inside)).text);
  assert.equal(restored.ca, landscape.ca, 'clients of the old landscape do not trust the restored one');
  const next = await copy.create(configMaps, stepObject('next', 1));
  assert.ok(revisionOf(next) > revision);
}

describe('a backup taken under load restores one consistent state, with uids, revisions and secrets', () => {
  describe('from SQLite', () => {
    let origin: Origin;
    before(async () => {
      origin = await startOrigin();
    });
    after(() => origin[Symbol.asyncDispose]());

    test('to SQLite', () => backUpAndRestore(origin, 'first'));

    test('to PostgreSQL', async () => {
      await using postgres = await startPostgres();
      await backUpAndRestore(origin, 'second', postgres.url);
    });
  });

  test('from PostgreSQL to PostgreSQL', async () => {
    await using source = await startPostgres();
    await using target = await startPostgres();
    await using origin = await startOrigin(source.url);
    await backUpAndRestore(origin, 'first', target.url);
  });
});

describe('a backup', () => {
  let landscape: TestLandscape;
  before(async () => {
    landscape = await startTestLandscape();
  });
  after(() => landscape[Symbol.asyncDispose]());

  test('is given only to the operator', async () => {
    assert.equal((await landscape.request('/admin/backup', { token: null })).status, 401);
    assert.equal((await landscape.request('/admin/backup', { token: 'made-up' })).status, 401);
  });

  test('is not restored into a place that is in use, and nothing changes there', async () => {
    await using folder = await tempFolder();
    await takeBackup(landscape, folder.join('backup.gz'));
    const file = folder.join('backup.gz');
    await assert.rejects(restore({ dataDir: landscape.dataDir, file }), { code: /FolderInUse|NotEmpty/ });
    assert.equal((await landscape.stop()).code, 0);
    await assert.rejects(restore({ dataDir: landscape.dataDir, file }), { code: 'NotEmpty' });
    await landscape.restart();
    assert.equal((await landscape.request('/readyz')).status, 200);
  });
});
