import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { request as httpsRequest } from 'node:https';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { eventually } from '@chandlery/testing';
import { missing, setStage } from './support/stage.ts';

describe('artifacts', () => {
  const stage = setStage();
  const { expect } = stage;
  const tus = { 'tus-resumable': '1.0.0' };
  const piece = (offset: number) => ({
    ...tus,
    'content-type': 'application/offset+octet-stream',
    'upload-offset': String(offset),
  });
  const put = async (text: string, headers = {}) =>
    (await expect(201, 'POST', '/1/artifacts', { body: text, headers: { 'content-type': 'text/plain', ...headers } }))
      .body;
  /** The digests of the blobs that are on disk. */
  const blobs = async (): Promise<readonly string[]> => {
    const folder = join(stage.landscape.dataDir, 'orders', 'blobs');
    const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
    return entries.filter(entry => entry.isFile()).map(({ name }) => name);
  };
  const digest = (text: string): string => createHash('sha256').update(text).digest('hex');

  test('of bytes are ready at once, with their type, name and size', async () => {
    const body = await put('hello world', { 'x-name': 'greeting', 'x-policy': 'urn:ivcap:policy:mine' });
    assert.match(body.id, /^urn:ivcap:artifact:[0-9a-f-]{36}$/);
    assert.deepEqual([body.status, body.size, body['mime-type'], body.name], ['ready', 11, 'text/plain', 'greeting']);
    const record = await expect(200, 'GET', `/1/artifacts/${body.id}`);
    assert.deepEqual(record.body, body);
    assert.equal(body['data-href'], `${stage.landscape.url}/1/artifacts/${body.id}/blob`);
    const blob = await expect(200, 'GET', `/1/artifacts/${body.id}/blob`);
    assert.equal(blob.text, 'hello world');
    assert.equal(blob.headers.get('content-type'), 'text/plain');
    assert.equal(blob.headers.get('content-length'), '11');
    assert.equal(blob.headers.get('etag'), `"${digest('hello world')}"`);
  });

  test('are read in ranges', async () => {
    const { id } = await put('0123456789');
    const path = `/1/artifacts/${id}/blob`;
    const part = await expect(206, 'GET', path, { headers: { range: 'bytes=2-4' } });
    assert.deepEqual(
      [part.text, part.headers.get('content-range'), part.headers.get('content-length')],
      ['234', 'bytes 2-4/10', '3'],
    );
    assert.equal((await expect(206, 'GET', path, { headers: { range: 'bytes=-2' } })).text, '89');
    const beyond = await expect(416, 'GET', path, { headers: { range: 'bytes=10-' } });
    assert.equal(beyond.headers.get('content-range'), 'bytes */10');
    const head = await expect(200, 'HEAD', path);
    assert.deepEqual(
      [head.headers.get('content-length'), head.headers.get('content-type'), head.text],
      ['10', 'text/plain', ''],
    );
    const etag = head.headers.get('etag') ?? '';
    await expect(304, 'GET', path, { headers: { 'if-none-match': etag } });
  });

  test('of no bytes are possible', async () => {
    const { body } = await expect(201, 'POST', '/1/artifacts', { headers: { 'upload-length': '0' } });
    assert.deepEqual([body.status, body.size], ['ready', 0]);
    assert.equal((await expect(200, 'GET', `/1/artifacts/${body.id}/blob`)).text, '');
  });

  test('are uploaded in pieces by TUS, and go on where they were', async () => {
    const options = await expect(204, 'OPTIONS', '/1/artifacts', { token: null });
    assert.equal(options.headers.get('tus-version'), '1.0.0');
    assert.equal(options.headers.get('tus-max-size'), String(5 * 1024 ** 3));
    const headers = { ...tus, 'upload-length': '11', 'x-content-type': 'text/plain' };
    const made = await expect(201, 'POST', '/1/artifacts', { headers });
    assert.equal(made.body.status, 'pending');
    const path = new URL(made.headers.get('location') ?? '').pathname;
    const head = async () => {
      const { headers: told } = await expect(200, 'HEAD', path, { headers: tus });
      return [told.get('upload-offset'), told.get('upload-length'), told.get('cache-control')];
    };
    assert.deepEqual(await head(), ['0', '11', 'no-store']);
    await expect(409, 'GET', `/1/artifacts/${made.body.id}/blob`);
    const first = await expect(204, 'PATCH', path, { headers: piece(0), body: 'hello ' });
    assert.equal(first.headers.get('upload-offset'), '6');
    assert.equal((await expect(200, 'GET', `/1/artifacts/${made.body.id}`)).body.status, 'partial');
    const wrong = await expect(409, 'PATCH', path, { headers: piece(0), body: 'again' });
    assert.deepEqual([wrong.body.code, wrong.headers.get('upload-offset')], ['offset-mismatch', '6']);
    await expect(413, 'PATCH', path, { headers: piece(6), body: 'too many bytes' });
    await stage.landscape.restart();
    assert.deepEqual(await head(), ['6', '11', 'no-store']);
    const last = await expect(204, 'PATCH', path, { headers: piece(6), body: 'world' });
    assert.equal(last.headers.get('upload-offset'), '11');
    const { body } = await expect(200, 'GET', `/1/artifacts/${made.body.id}`);
    assert.deepEqual([body.status, body.size, body['etag']], ['ready', 11, digest('hello world')]);
    assert.equal((await expect(200, 'GET', `/1/artifacts/${made.body.id}/blob`)).text, 'hello world');
    assert.equal((await expect(409, 'PATCH', path, { headers: piece(11), body: 'x' })).body.code, 'artifact-complete');
    assert.equal((await expect(409, 'PUT', path, { body: 'x' })).body.code, 'artifact-complete');
  });

  test('keep what arrived of a piece that was cut', async () => {
    const headers = { ...tus, 'upload-length': '1000' };
    const { body } = await expect(201, 'POST', '/1/artifacts', { headers });
    const path = `/1/artifacts/${body.id}`;
    await new Promise<void>(resolve => {
      const { port, ca } = stage.landscape;
      const authorization = `Bearer ${stage.token('acme/robot')}`;
      const sent = { ...piece(0), authorization, 'content-length': '1000' };
      const request = httpsRequest({ host: '127.0.0.1', port, ca, method: 'PATCH', path, headers: sent });
      request.on('error', () => undefined).on('close', resolve);
      request.write('x'.repeat(100));
      setTimeout(() => request.destroy(), 200);
    });
    await eventually(async () => {
      const head = await expect(200, 'HEAD', path);
      return head.headers.get('upload-offset') === '100';
    });
    await expect(204, 'PATCH', path, { headers: piece(100), body: 'x'.repeat(900) });
    assert.equal((await expect(200, 'GET', path)).body.status, 'ready');
  });

  test('of a length that is told last are complete when it is', async () => {
    const made = await expect(201, 'POST', '/1/artifacts', { headers: { ...tus, 'upload-defer-length': '1' } });
    const path = `/1/artifacts/${made.body.id}`;
    await expect(204, 'PATCH', path, { headers: piece(0), body: 'abc' });
    assert.equal((await expect(200, 'HEAD', path)).headers.get('upload-defer-length'), '1');
    await expect(204, 'PATCH', path, { headers: { ...piece(3), 'upload-length': '3' } });
    assert.deepEqual((await expect(200, 'GET', path)).body.status, 'ready');
  });

  test('are put at once, up to 16 MB', async () => {
    const { body } = await expect(201, 'POST', '/1/artifacts', { headers: { 'x-content-type': 'text/csv' } });
    const path = `/1/artifacts/${body.id}/blob`;
    assert.equal((await expect(413, 'PUT', path, { body: 'x'.repeat(16 * 1024 * 1024 + 1) })).body.code, 'too-large');
    const done = await expect(200, 'PUT', path, { body: 'a,b' });
    assert.deepEqual([done.body.status, done.body['mime-type'], done.body.size], ['ready', 'text/csv', 3]);
    await expect(409, 'PUT', path, { body: 'a,b' });
  });

  test('reject what TUS does not allow', async () => {
    const { body } = await expect(201, 'POST', '/1/artifacts', { headers: { 'upload-length': '3' } });
    const path = `/1/artifacts/${body.id}`;
    await expect(412, 'PATCH', path, { headers: { ...piece(0), 'tus-resumable': '0.2.2' }, body: 'abc' });
    await expect(415, 'PATCH', path, { headers: { ...piece(0), 'content-type': 'text/plain' }, body: 'abc' });
    await expect(400, 'POST', '/1/artifacts', { headers: { 'upload-length': 'many' } });
    await expect(413, 'POST', '/1/artifacts', { headers: { 'upload-length': String(6 * 1024 ** 3) } });
    await expect(404, 'PATCH', `/1/artifacts/${missing('artifact')}`, { headers: piece(0), body: 'abc' });
  });

  test('make collections by name and by URN', async () => {
    const [one, two] = await Promise.all([put('1', { 'x-collection': 'trip' }), put('2', { 'x-collection': 'trip' })]);
    assert.deepEqual(one['collections'], two['collections']);
    const filter = encodeURIComponent("name == 'trip'");
    const { body } = await expect(200, 'GET', `/1/collections?filter=${filter}`);
    assert.deepEqual([body.items.length, body.items[0]?.['artifact-count']], [1, 2]);
    const members = await expect(200, 'GET', `/1/collections/${body.items[0]?.id}/artifacts`);
    assert.deepEqual(new Set(members.body.items.map(({ id }) => id)), new Set([one.id, two.id]));
    const urn = 'urn:ivcap:collection:00000000-0000-4000-8000-00000000c011';
    assert.deepEqual((await put('3', { 'x-collection': urn }))['collections'], [urn]);
    const other = { token: stage.token('other/robot') };
    await expect(404, 'GET', `/1/collections/${urn}`, other);
    await expect(403, 'POST', '/1/artifacts', { ...other, body: 'x', headers: { 'x-collection': urn } });
  });

  test('share their bytes, which go with the last of them, also when the namespace goes', async () => {
    const [one, two] = [await put('shared bytes'), await put('shared bytes')];
    const name = digest('shared bytes');
    assert.equal((await blobs()).filter(each => each === name).length, 1);
    await expect(204, 'DELETE', `/1/artifacts/${one.id}`);
    assert.equal((await expect(200, 'GET', `/1/artifacts/${two.id}/blob`)).text, 'shared bytes');
    await expect(204, 'DELETE', `/1/artifacts/${two.id}`);
    await eventually(async () => !(await blobs()).includes(name));
    const ofOther = { token: stage.token('other/robot'), body: 'of the other tenant' };
    await expect(201, 'POST', '/1/artifacts', ofOther);
    await expect(201, 'POST', '/1/artifacts', { token: ofOther.token, headers: { 'upload-length': '5' } });
    assert.ok((await blobs()).includes(digest('of the other tenant')));
    assert.equal((await stage.kube('DELETE', '/api/v1/namespaces/other')).status, 200);
    await eventually(async () => !(await blobs()).includes(digest('of the other tenant')), { timeoutMs: 20_000 });
    const { body } = await stage.kube('GET', '/apis/orders.chandlery.io/v1alpha1/namespaces/other/artifacts');
    assert.deepEqual(body.items, []);
  });
});
