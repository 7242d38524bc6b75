import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { ChandleryError } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import { openStore } from '@chandlery/kernel';
import { eventually, startTestLandscape, type TestLandscape, tempFolder } from '@chandlery/testing';
import { checkLeadsTo } from './support/event-chain.ts';
import { Follower } from './support/follower.ts';
import { clientOf, configMaps, named } from './support/landscape-client.ts';
import { withSeed } from './support/seeded.ts';
import { mountedDisk, rationedDisk, type SmallDisk } from './support/small-disk.ts';
import { revisionOf, stepObject } from './support/step-object.ts';
import { Writer } from './support/writer.ts';

/** Writes objects of a size until one is rejected, and returns the rejection. */
async function refusal(client: Client, size: number): Promise<ChandleryError> {
  const data = { filling: 'x'.repeat(size) };
  for (let no = 0; no < 1000; no++) {
    try {
      await client.create(configMaps, { ...fillingMap, metadata: { name: `filling-${size}-${no}` }, data });
    } catch (error) {
      assert.ok(error instanceof ChandleryError);
      return error;
    }
  }
  return assert.fail('the disk does not get full');
}

const fillingMap = { apiVersion: 'v1', kind: 'ConfigMap' };

async function assertServesReadOnly(landscape: TestLandscape, client: Client): Promise<void> {
  const ready = await landscape.request('/readyz?verbose');
  assert.equal(ready.status, 503);
  assert.match(ready.text, /\[-\]store\S* failed: .*disk/);
  assert.equal((await landscape.request('/livez')).status, 200);
  assert.ok((await client.list(configMaps)).items.length > 0);
  assert.equal((await client.get(named(configMaps, 'kept'))).metadata.name, 'kept');
}

/** The story of a disk that gets full and is given room again. */
async function fillAndRecover(disk: SmallDisk, reason: RegExp): Promise<void> {
  await using landscape = await startTestLandscape({ dataDir: disk.folder });
  await using client = clientOf(landscape, 'onboarding');
  const { pid } = landscape.process;
  await withSeed(async random => {
    const writer = new Writer({ client: () => client, random, prefix: 'w' });
    const kept = await client.create(configMaps, stepObject('kept', 1));
    const revision = String(revisionOf(kept) - 1);
    await using follower = new Follower({ client: () => client, collection: configMaps, revision });
    for (let no = 0; no < 50; no++) await writer.step();

    await disk.fill(pid);
    // Where a large one no longer fits, small ones may, for a while.
    for (const size of [200_000, 20_000, 100]) {
      const refused = await refusal(client, size);
      assert.equal(refused.code, 'ServiceUnavailable', refused.message);
      assert.match(refused.message, reason);
      assert.ok((refused.details.retryAfterSeconds ?? 0) > 0);
    }
    await assertServesReadOnly(landscape, client);
    for (let no = 0; no < 20; no++) await writer.step();

    await disk.free(pid);
    await eventually(async () => (await landscape.request('/readyz')).status === 200);
    for (let no = 0; no < 50; no++) assert.ok(await writer.step(), 'a write is refused although there is room again');
    assert.equal(landscape.process.pid, pid);
    assert.equal((await Promise.race([landscape.process.ended, sleep(0)])) ?? 'runs', 'runs');
    writer.ledger.settleAll((await client.list(configMaps)).items);

    await landscape.kill9();
    await landscape.restart();
    const { items } = await client.list(configMaps);
    writer.ledger.settleAll(items);
    await follower.reach('kept', revisionOf(kept));
    const last = await client.create(configMaps, stepObject('last', 1));
    await follower.reach('last', revisionOf(last));
    checkLeadsTo(follower.events, (await client.list(configMaps)).items);
  });
}

const isRootOnLinux = process.platform === 'linux' && process.getuid?.() === 0;

describe('a full disk makes writes fail with 503, reads continue, and free space restores service without a restart', () => {
  if (isRootOnLinux) {
    test('on a small file system', async () => {
      await using disk = await mountedDisk(24);
      await fillAndRecover(disk, /the disk that holds the data folder is full/);
    });
  }

  if (process.platform === 'linux') {
    test('for a process whose writes the system rejects', async () => {
      await using disk = await rationedDisk();
      await fillAndRecover(disk, /the disk that holds the data folder/);
    });
  }

  test('in a store of limited size', async () => {
    await using folder = await tempFolder();
    await using store = await openStore({ type: 'sqlite', folder: folder.path, maxPages: 200 });
    const put = (name: string, size: number) =>
      store.commit({
        writes: [
          {
            type: 'put',
            key: { cluster: 'c', resource: '/things', namespace: '', name },
            expect: { type: 'any' },
            value: { bytes: Buffer.alloc(size, 'x'), splice: 0 },
            terms: [],
          },
        ],
      });
    await put('kept', 10);
    await assert.rejects(put('big', 5_000_000), { code: 'Unavailable', message: /disk .* is full/ });
    assert.equal((await store.list({ cluster: 'c', resource: '/things' })).items.length, 1);
    await put('small', 10);
    await store.check();
  });
});
