import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import type { ArtifactRecord } from '../../orders/artifacts.ts';
import { type CuttingProxy, startCuttingProxy } from '../../orders/test-cutting-proxy.ts';
import { maxWholeBytes } from '../../orders/upload-file.ts';
import { startTestOrdersLandscape, type TestOrdersLandscape } from '../../test-orders-landscape.ts';

const large = randomBytes(maxWholeBytes + 5_000_000);

let landscape: TestOrdersLandscape;
let proxy: CuttingProxy;
before(async () => {
  landscape = await startTestOrdersLandscape();
  const kubeconfig = readFileSync(landscape.path('.chandlery/admin.kubeconfig'), 'utf8');
  const port = Number(/127\.0\.0\.1:(\d+)/.exec(kubeconfig)?.[1]);
  proxy = await startCuttingProxy(port);
  writeFileSync(landscape.path('proxied'), kubeconfig.replaceAll(`127.0.0.1:${port}`, `127.0.0.1:${proxy.port}`));
  writeFileSync(landscape.path('large.bin'), large);
});
after(async () => {
  await proxy?.[Symbol.asyncDispose]();
  await landscape?.[Symbol.asyncDispose]();
});

const run: TestOrdersLandscape['run'] = (...args) => landscape.run('artifact', ...args);
const proxied: TestOrdersLandscape['run'] = (...args) => run(...args, '--kubeconfig', 'proxied');
const put = async (...args: string[]): Promise<ArtifactRecord> => await landscape.json('artifact', 'put', ...args);
const written = (name: string) => readFileSync(landscape.path(name));

describe('artifact put and get', () => {
  test('a small file goes there and back, with its name and type', async () => {
    writeFileSync(landscape.path('grüße.txt'), 'hello\n');
    const { id, ...record } = await put('grüße.txt', '--content-type', 'text/plain');
    assert.partialDeepStrictEqual(record, { name: 'grüße.txt', status: 'ready', size: 6, 'mime-type': 'text/plain' });
    assert.deepEqual(await run('get', id), { code: 0, stdout: 'hello\n', stderr: '' });
    assert.equal((await run('get', id, '--file', 'copy.txt')).stdout, 'copy.txt written (6 B)\n');
    assert.equal(written('copy.txt').toString(), 'hello\n');
    assert.match((await run('get', id, '-o', 'yaml')).stdout, /^status: ready$/m);
  });

  test('an empty file is complete', async () => {
    writeFileSync(landscape.path('empty'), '');
    const { id, status, size } = await put('empty');
    assert.deepEqual([status, size], ['ready', 0]);
    assert.equal((await run('get', id, '-f', 'empty-copy')).code, 0);
    assert.equal(written('empty-copy').length, 0);
  });

  test('a large file goes in pieces and says how far it is', async () => {
    const { code, stdout, stderr } = await run('put', 'large.bin');
    assert.equal(code, 0, stderr);
    assert.match(stderr, /^Uploading as urn:ivcap:artifact:\S+\n(\d+ % of 21\.8 MB\n)+$/);
    assert.match(stderr, /^100 % of 21\.8 MB$/m);
    const [id = ''] = stdout.split(' ');
    assert.match(stdout, / ready \(21\.8 MB\)\n$/);
    assert.equal((await run('get', id, '--file', 'large-copy.bin')).code, 0);
    assert.ok(written('large-copy.bin').equals(large));
  });

  test('a cut connection is resumed', async () => {
    proxy.cutAfter(12_000_000);
    const uploaded = await proxied('put', 'large.bin', '-o', 'name');
    assert.deepEqual([uploaded.code, proxy.cuts], [0, 1], uploaded.stderr);
    const id = uploaded.stdout.trim();
    proxy.cutAfter(9_000_000, { from: 'server' });
    const downloaded = await proxied('get', id, '--file', 'cut-copy.bin');
    assert.deepEqual([downloaded.code, proxy.cuts], [0, 2], downloaded.stderr);
    assert.ok(written('cut-copy.bin').equals(large));
  });

  test('an upload that was given up is continued by --resume', async () => {
    proxy.cutAfter(12_000_000, { isFinal: true });
    const cut = await proxied('put', 'large.bin');
    assert.equal(cut.code, 1);
    const [, id = ''] = /^Next: .*artifact put \S+large\.bin --resume (\S+)"/m.exec(cut.stderr) ?? [];
    assert.match(id, /^urn:ivcap:artifact:/, cut.stderr);
    assert.match((await run('get', id)).stderr, /Why: {3}its status is \S+\nNext: .*--resume/);
    writeFileSync(landscape.path('other.bin'), large.subarray(1));
    assert.match(
      (await run('put', 'other.bin', '--resume', id)).stderr,
      /is of 21777216 bytes, and the file has 21777215/,
    );
    const resumed = await run('put', 'large.bin', '--resume', id);
    assert.equal(resumed.code, 0, resumed.stderr);
    assert.doesNotMatch(resumed.stderr, /Uploading/);
    assert.equal((await run('get', id, '--file', 'resumed.bin')).code, 0);
    assert.ok(written('resumed.bin').equals(large));
  });

  test('a download that was given up leaves no file, and is continued', async () => {
    proxy.cutAfter(undefined);
    const { id } = await put('large.bin');
    proxy.cutAfter(9_000_000, { isFinal: true, from: 'server' });
    const cut = await proxied('get', id, '--file', 'later.bin');
    assert.equal(cut.code, 1);
    assert.match(cut.stderr, /Why: {3}the download was cut: .*\nNext: .*artifact get \S+ --file \S+later\.bin/);
    assert.equal(existsSync(landscape.path('later.bin')), false);
    assert.equal((await run('get', id, '--file', 'later.bin')).code, 0);
    assert.ok(written('later.bin').equals(large));
    assert.deepEqual(
      readdirSync(landscape.path('.')).filter(name => name.endsWith('.part')),
      [],
    );
  });

  test('says what cannot be', async () => {
    const { id } = await put('large.bin');
    const cases = [
      [await run('put', 'nowhere'), /cannot read the file .*nowhere\nNext: {2}Is the name right\?/],
      [await run('get', 'nonsense'), /"nonsense" is not the id of an artifact/],
      [
        await run('get', 'urn:ivcap:artifact:7b0d0c4e-3c7e-4c55-8d8e-1f1a5a7d9a01'),
        /There is no urn:ivcap:artifact:7b0d/,
      ],
      [
        await landscape.runWith({ isTTY: true }, 'artifact', 'get', id),
        /a terminal cannot show\nNext: {2}Write it to a file/,
      ],
    ] as const;
    for (const [{ code, stderr }, why] of cases) {
      assert.equal(code, 1);
      assert.match(stderr, why);
    }
  });
});
