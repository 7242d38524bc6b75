import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request as sendRequest } from 'node:https';
import { text } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import type { TLSSocket } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { eventually } from '@chandlery/testing';
import { tarOf } from '../../../domains/orders/src/adapters/sites/test-archives.ts';
import { setStage } from './support/stage.ts';

interface SiteAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  /** The names in the server's certificate. */
  readonly names: string;
}

interface SiteRequest {
  readonly method?: string;
  /** Default: the same as `host`; null: none. */
  readonly serverName?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Packs files as tar.gz, and further entries. */
const archiveOf = async (...contents: Parameters<typeof tarOf>): Promise<Buffer> => gzipSync(await tarOf(...contents));

describe('an app-server', () => {
  const stage = setStage();
  const { ask, expect, kube } = stage;

  /** Sends a request to a site, whose certificate must be of the landscape's authority. */
  const visit = async (host: string, path = '/', request: SiteRequest = {}): Promise<SiteAnswer> => {
    const { method = 'GET', serverName = host, headers = {} } = request;
    const { ca, port } = stage.landscape;
    const address = { host: '127.0.0.1', port, ca, agent: false };
    const options = { ...address, ...(serverName === null ? {} : { servername: serverName }), method, path };
    const sent = sendRequest({ ...options, headers: { host, ...headers } }).end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    const { subjectaltname: names = '' } = (response.socket as TLSSocket).getPeerCertificate();
    return { status: response.statusCode ?? 0, headers: response.headers, text: await text(response), names };
  };

  const upload = async (bytes: Buffer, token = stage.token('acme/robot')): Promise<string> => {
    const headers = { 'content-type': 'application/gzip' };
    return (await expect(201, 'POST', '/1/artifacts', { body: bytes, headers, token })).body.id;
  };

  const siteOf = (host: unknown, artifact: unknown, more: object = {}): object => ({
    $schema: 'urn:ivcap:schema:service.2',
    name: 'site',
    description: 'a web site',
    parameters: [],
    controller: { $schema: 'urn:ivcap:schema:service.app-server.1', host, artifact, ...more },
  });

  const publish = async (host: string, files: Readonly<Record<string, string>>, more: object = {}): Promise<string> => {
    const body = siteOf(host, await upload(await archiveOf(files)), more);
    return `/1/services2/${(await expect(201, 'POST', '/1/services2', { body })).body.id}`;
  };

  test('serves files by host name, with a certificate by SNI and without authentication', async () => {
    await publish('www.site.example', { './index.html': 'home', 'docs/index.html': 'docs', 'app.css': 'a{}' });
    const home = await visit('www.site.example');
    assert.deepEqual([home.status, home.text, home.names], [200, 'home', 'DNS:www.site.example']);
    assert.equal(home.headers['content-type'], 'text/html; charset=utf-8');
    assert.equal(home.headers['x-content-type-options'], 'nosniff');
    assert.equal(home.headers['set-cookie'], undefined);
    assert.equal((await visit('WWW.Site.example')).text, 'home');
    assert.equal((await visit('www.site.example', '/', { serverName: null })).text, 'home', 'without SNI');
    const again = { headers: { 'if-none-match': String(home.headers['etag']) } };
    assert.equal((await visit('www.site.example', '/', again)).status, 304);
    const css = await visit('www.site.example', '/app.css', { headers: { range: 'bytes=1-' } });
    assert.deepEqual([css.status, css.text, css.headers['content-type']], [206, '{}', 'text/css; charset=utf-8']);
    const folder = await visit('www.site.example', '/docs');
    assert.deepEqual([folder.status, folder.headers['location']], [301, '/docs/']);
    assert.equal((await visit('www.site.example', '/none')).status, 404);
    assert.equal((await visit('www.site.example', '/', { method: 'POST' })).status, 405);
  });

  test('falls back to one file for pages, and to nothing else', async () => {
    await publish('spa.example', { 'index.html': 'app' }, { '404': 'index.html' });
    const page = await visit('spa.example', '/users/7', { headers: { accept: 'text/html' } });
    assert.deepEqual([page.status, page.text], [200, 'app']);
    assert.equal((await visit('spa.example', '/users/7', { headers: { accept: 'application/json' } })).status, 404);
    assert.equal((await visit('spa.example', '/none.js', { headers: { accept: '*/*' } })).status, 404);
  });

  test('keeps requests to its host from the landscape, and those to the landscape from a site', async () => {
    await publish('apart.example', { 'index.html': 'site' });
    const headers = { authorization: `Bearer ${stage.landscape.token}`, accept: 'application/json' };
    for (const path of ['/1/services2', '/clusters/onboarding/api/v1/namespaces', '/healthz', '/openapi/orders.json'])
      assert.equal((await visit('apart.example', path, { headers })).status, 404, path);
    const own = await visit('localhost', '/healthz');
    assert.equal(own.status, 200);
    assert.match(own.names, /DNS:localhost/);
    assert.equal((await visit('localhost', '/healthz', { serverName: 'apart.example' })).status, 421);
    assert.doesNotMatch((await visit('unknown.example', '/', { serverName: 'localhost' })).text, /site/);
  });

  test('changes as a whole while requests run', async () => {
    const versionOf = (version: string): Record<string, string> => ({
      'index.html': version.repeat(50_000),
      'only.txt': version,
    });
    const path = await publish('swap.example', versionOf('a'));
    const next = await upload(await archiveOf({ ...versionOf('b'), 'new.txt': 'b' }));
    const seen: string[] = [];
    let isDone = false;
    const visitors = Array.from({ length: 4 }, async () => {
      while (!isDone) {
        const { status, text } = await visit('swap.example');
        assert.equal(status, 200);
        assert.equal(new Set(text).size, 1, 'one version');
        assert.equal(text.length, 50_000);
        seen.push(text.slice(0, 1));
      }
    });
    await eventually(() => seen.length > 8);
    await expect(200, 'PUT', path, { body: siteOf('swap.example', next) });
    assert.equal((await visit('swap.example', '/new.txt')).text, 'b', 'at once');
    const before = seen.length;
    await eventually(() => seen.length > before + 8);
    isDone = true;
    await Promise.all(visitors);
    assert.deepEqual([...new Set(seen)], ['a', 'b']);
    assert.equal(seen.at(-1), 'b');
  });

  test('is gone when it is removed, and its artifact cannot go before it', async () => {
    const artifact = await upload(await archiveOf({ 'index.html': 'brief' }));
    const { body } = await expect(201, 'POST', '/1/services2', { body: siteOf('brief.example', artifact) });
    assert.equal((await visit('brief.example')).text, 'brief');
    assert.equal((await expect(409, 'DELETE', `/1/artifacts/${artifact}`)).body.code, 'conflict');
    await expect(204, 'DELETE', `/1/services2/${body.id}`);
    assert.equal((await visit('brief.example', '/', { serverName: 'localhost' })).status, 404);
    await assert.rejects(visit('brief.example'), /altnames/, 'no certificate any more');
    await expect(204, 'DELETE', `/1/artifacts/${artifact}`);
  });

  test('is not created with a host or an archive that is wrong', async () => {
    const good = await upload(await archiveOf({ 'index.html': 'x' }));
    const pending = (await expect(201, 'POST', '/1/artifacts', { headers: { 'upload-length': '10' } })).body.id;
    const noArchive = await upload(Buffer.from('hello'));
    const link = await upload(await archiveOf({ a: 'x' }, [{ name: 'l', type: 'symlink', linkname: '/etc/passwd' }]));
    const parent = await upload(await archiveOf({ '../a': 'x' }));
    const absolute = await upload(await archiveOf({ '/a': 'x' }));
    const foreign = await upload(await archiveOf({ a: 'x' }), stage.token('other/robot'));
    const missing = `urn:ivcap:artifact:${randomUUID()}`;
    const cases: readonly (readonly [host: unknown, artifact: unknown, more: object, name: string])[] = [
      ['localhost', good, {}, 'controller.host'],
      ['a.localhost', good, {}, 'controller.host'],
      ['127.0.0.1', good, {}, 'controller.host'],
      ['::1', good, {}, 'controller.host'],
      ['short', good, {}, 'controller.host'],
      ['a.example:443', good, {}, 'controller.host'],
      [undefined, good, {}, 'controller.host'],
      ['a.example', undefined, {}, 'controller.artifact'],
      ...[missing, pending, noArchive, link, parent, absolute, foreign].map(
        artifact => ['a.example', artifact, {}, 'controller.artifact'] as const,
      ),
      ['a.example', good, { '404': 'none.html' }, 'controller.404'],
      ['a.example', good, { '404': '../x' }, 'controller.404'],
    ];
    for (const [host, artifact, more, name] of cases) {
      const { status, body } = await ask('POST', '/1/services2', { body: siteOf(host, artifact, more) });
      assert.deepEqual([status, body.code, body.name], [422, 'invalid', name], JSON.stringify([host, artifact, body]));
    }
    const path = await publish('kept.example', { 'index.html': 'kept' });
    await expect(422, 'PUT', path, { body: siteOf('kept.example', parent) });
    assert.equal((await visit('kept.example')).text, 'kept', 'a rejected change leaves the site as it was');
  });

  test('has a host that no other tenant can take, by REST or kubectl', async () => {
    await publish('taken.example', { 'index.html': 'mine' });
    const token = stage.token('other/robot');
    const artifact = await upload(await archiveOf({ 'index.html': 'theirs' }), token);
    for (const host of ['taken.example', 'TAKEN.example.']) {
      const { body } = await expect(409, 'POST', '/1/services2', { body: siteOf(host, artifact), token });
      assert.deepEqual([body.code, body.name], ['already-exists', 'controller.host']);
    }
    const free = await expect(201, 'POST', '/1/services2', { body: siteOf('free.example', artifact), token });
    const moved = { body: siteOf('taken.example', artifact), token };
    await expect(409, 'PUT', `/1/services2/${free.body.id}`, moved);
    const controller = { $schema: 'urn:ivcap:schema.service.app-server.1', host: 'taken.example', artifact };
    const object = { metadata: { name: randomUUID() }, spec: { name: 'x', controller } };
    const path = '/apis/orders.chandlery.io/v1alpha1/namespaces/other/services';
    assert.equal((await kube('POST', path, object)).status, 409);
    assert.equal((await visit('taken.example')).text, 'mine');
    assert.equal((await visit('free.example')).text, 'theirs');
  });
});
