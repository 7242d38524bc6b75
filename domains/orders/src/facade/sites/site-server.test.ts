import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request as sendRequest } from 'node:http';
import { text } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { createHttpHost, silentLogger } from '@chandlery/http';
import { tempFolder } from '@chandlery/testing';
import { SiteDirectory } from '../../actions/sites/site-directory.ts';
import { verifySite } from '../../actions/sites/verify-site.ts';
import { FileSiteStore } from '../../adapters/sites/file-site-store.ts';
import { tarOf } from '../../adapters/sites/test-archives.ts';
import { OrdersError } from '../../errors.ts';
import type { Service } from '../../kinds/index.ts';
import { urnOf } from '../../model/urns.ts';
import { createRow, removeRow, type ServiceRow } from '../../registry/orders-registry.ts';
import { startTestOrders } from '../../test-orders.ts';
import { serveSites } from './site-server.ts';

const alice = { username: 'alice', tenant: 'default' };
const bob = { username: 'bob', tenant: 'kube-system' };

const maxSites = 6;

/** Records with sites, served on plain HTTP beside a route of the landscape. */
async function startSites() {
  await using stack = new AsyncDisposableStack();
  const orders = stack.use(await startTestOrders({ settings: { sites: maxSites } }));
  const folder = stack.use(await tempFolder());
  const { deps, actions, registry } = orders;
  const paths = { folder: folder.join('sites'), incoming: folder.join('incoming') };
  const sites = new FileSiteStore({ ...paths, blobs: deps.blobs, limits: { siteBytes: 1e6, siteEntries: 100 } });
  const ownHosts = new Set(['landscape.example']);
  const siteDomains = { 'alice.example': ['default'] };
  const directory = stack.use(new SiteDirectory({ ...deps, sites, ownHosts, siteDomains }));
  const host = createHttpHost({ logger: silentLogger, readiness: async () => [] });
  stack.defer(() => host.close({ graceMs: 0 }));
  host.app.get('/*', (_request, reply) => reply.send('landscape'));
  serveSites({ host, directory, sites });
  const { port } = await host.listenPlain({ port: 0 });
  const upload = async (files: Readonly<Record<string, string>>, actor = alice): Promise<string> => {
    async function* bytes(): AsyncGenerator<Uint8Array> {
      yield await tarOf(files);
    }
    const artifact = { name: 'site', mimeType: undefined, policy: undefined, collection: undefined };
    return urnOf(
      'artifact',
      (await actions.artifacts.createWithContent(actor, artifact, { bytes: bytes(), length: undefined })).id,
    );
  };
  const verify = verifySite({ ...deps, sites, ownHosts, siteDomains });
  const all = stack.move();
  return { orders, registry, directory, sites, verify, upload, port, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

const siteSpec = (host: string, artifact: string, more: object = {}): Service['spec'] => ({
  name: host,
  controller: { $schema: 'urn:ivcap:schema.service.app-server.1', host, artifact, ...more },
});

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

const files = {
  'index.html': '<h1>home</h1>',
  'app.js': 'go()',
  'docs/index.html': 'docs',
  'data.json': '{}',
  'empty.txt': '',
};

describe('a site', () => {
  const started: { stage?: Awaited<ReturnType<typeof startSites>> } = {};
  const stage = () => started.stage ?? assert.fail('not started');
  const ask = async (path: string, { method = 'GET', host = 'site.example', headers = {} } = {}): Promise<Answer> => {
    const options = { port: stage().port, host: '127.0.0.1', path, method, headers: { host, ...headers } };
    const [response] = (await once(sendRequest(options).end(), 'response')) as [IncomingMessage];
    return { status: response.statusCode ?? 0, headers: response.headers, text: await text(response) };
  };
  /** Stores a service as it is, as kubectl would. */
  const store = async (spec: Service['spec'], tenant = 'default'): Promise<ServiceRow> => {
    const { registry } = stage();
    const id = registry.newId();
    await registry.commit([createRow({ table: 'services', id, tenant, spec })]);
    return registry.services.get(id) ?? assert.fail();
  };

  before(async () => {
    started.stage = await startSites();
    await store(siteSpec('site.example', await stage().upload(files), { '404': 'index.html' }));
  });
  after(() => started.stage?.[Symbol.asyncDispose]());

  test('sends files with their type, length and entity tag, and nothing of the landscape', async () => {
    const { status, headers, text } = await ask('/');
    assert.deepEqual([status, text], [200, '<h1>home</h1>']);
    assert.equal(headers['content-type'], 'text/html; charset=utf-8');
    assert.equal(headers['content-length'], '13');
    assert.match(String(headers['etag']), /^"[0-9a-f]{64}"$/);
    assert.equal(headers['x-content-type-options'], 'nosniff');
    for (const name of ['set-cookie', 'audit-id', 'www-authenticate']) assert.equal(headers[name], undefined, name);
    assert.match(String((await ask('/app.js')).headers['content-type']), /javascript/);
    assert.match(String((await ask('/data.json')).headers['content-type']), /^application\/json/);
    assert.deepEqual([(await ask('/empty.txt')).status, (await ask('/empty.txt')).text], [200, '']);
  });

  test('responds to conditions, ranges and HEAD', async () => {
    const { etag } = (await ask('/')).headers;
    const tag = String(etag);
    assert.equal((await ask('/', { headers: { 'if-none-match': tag } })).status, 304);
    assert.equal((await ask('/', { headers: { 'if-none-match': `"other", W/${tag}` } })).status, 304);
    assert.equal((await ask('/', { headers: { 'if-none-match': '"other"' } })).status, 200);
    const part = await ask('/', { headers: { range: 'bytes=4-7' } });
    assert.deepEqual([part.status, part.text, part.headers['content-range']], [206, 'home', 'bytes 4-7/13']);
    assert.equal((await ask('/', { headers: { range: 'bytes=4-7', 'if-range': tag } })).status, 206);
    assert.equal((await ask('/', { headers: { range: 'bytes=4-7', 'if-range': '"old"' } })).status, 200);
    const beyond = await ask('/', { headers: { range: 'bytes=99-' } });
    assert.deepEqual([beyond.status, beyond.headers['content-range']], [416, 'bytes */13']);
    const head = await ask('/', { method: 'HEAD' });
    assert.deepEqual(
      [head.status, head.text, head.headers['content-length'], head.headers['etag']],
      [200, '', '13', tag],
    );
  });

  test('is only served, and only accepted, in domains of its tenant', async () => {
    const { verify, upload } = stage();
    const theirs = siteSpec('www.alice.example', await upload(files, bob));
    await assert.rejects(verify(theirs, bob.tenant), { restCode: 'invalid', message: /operators assign domains/ });
    const row = await store(theirs, bob.tenant);
    assert.equal((await ask('/', { host: 'www.alice.example' })).status, 404);
    await stage().registry.commit([removeRow('services', row)]);
    await verify(siteSpec('www.alice.example', await upload(files)), alice.tenant);
  });

  test('redirects folders, falls back for pages, and can only be read', async () => {
    const redirect = await ask('/docs?x=1');
    assert.deepEqual([redirect.status, redirect.headers['location']], [301, '/docs/?x=1']);
    const page = await ask('/deep/link', { headers: { accept: 'text/html' } });
    assert.deepEqual([page.status, page.text], [200, '<h1>home</h1>']);
    assert.equal((await ask('/deep/link', { headers: { accept: 'application/json' } })).status, 404);
    assert.equal((await ask('/%')).status, 400);
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
      const { status, headers } = await ask('/', { method });
      assert.deepEqual([status, headers['allow']], [405, 'GET, HEAD'], method);
    }
  });

  test('never reaches the landscape, nor the landscape a site', async () => {
    const answers = ['/healthz', '/readyz', '/metrics', '/1/services2', '/api/v1/namespaces'];
    for (const path of answers)
      assert.equal((await ask(path, { headers: { accept: 'application/json' } })).status, 404);
    for (const host of ['127.0.0.1', 'other.example', 'localhost'])
      assert.equal((await ask('/', { host })).text, 'landscape', host);
    await store(siteSpec('landscape.example', await stage().upload(files)));
    assert.equal((await ask('/', { host: 'landscape.example' })).text, 'landscape', 'a name that kubectl took');
  });

  test('says so when its archive is gone, was another tenant’s, or was never checked', async () => {
    const { upload } = stage();
    await store(siteSpec('foreign.example', await upload(files, bob)));
    await store(siteSpec('bad.example', await upload({ '../x': 'x' })));
    await store(siteSpec('malformed.example', 'urn:ivcap:order:x'));
    for (const host of ['foreign.example', 'bad.example']) assert.equal((await ask('/', { host })).status, 503, host);
    assert.equal((await ask('/', { host: 'malformed.example' })).status, 404);
  });

  test('has a host that nobody else can take, whoever checked first', async () => {
    const { upload, verify, orders } = stage();
    const codeOf = (error: unknown) => (error instanceof OrdersError ? error.restCode : String(error));
    const code = (spec: Service['spec'], tenant: string, id?: string) =>
      verify(spec, tenant, id).then(() => 'accepted', codeOf);
    const foreign = await upload(files, bob);
    assert.equal(await code(siteSpec('SITE.example', foreign), 'kube-system'), 'already-exists');
    assert.equal(await code(siteSpec('new.example', foreign), 'default'), 'invalid', 'an artifact of another tenant');
    assert.equal(await code(siteSpec('new.example', foreign, { '404': 'none.html' }), 'kube-system'), 'invalid');
    assert.equal(await code(siteSpec('new.example', foreign), 'kube-system'), 'accepted');
    // Both passed the check at the same time: the commit decides.
    const created = await Promise.allSettled([
      orders.actions.services.create(alice, siteSpec('race.example', await upload(files))),
      orders.actions.services.create(bob, siteSpec('Race.Example', foreign)),
    ]);
    const outcomes = created.map(result => (result.status === 'fulfilled' ? 'created' : codeOf(result.reason)));
    assert.deepEqual(outcomes.sort(), ['already-exists', 'created']);
    const bobs = await orders.actions.services.create(bob, siteSpec('bob.example', foreign));
    await assert.rejects(orders.actions.services.replace(bobs, siteSpec('site.example', foreign)), {
      restCode: 'already-exists',
      facts: { name: 'controller.host', value: 'site.example' },
    });
  });

  test('counts against the tenant’s limit, which a replacement does not raise', async () => {
    const { upload, verify, registry } = stage();
    const artifact = await upload(files);
    for (let at = registry.services.count('siteTenant', 'default'); at < maxSites; at++)
      await store(siteSpec(`s${at}.example`, artifact));
    const mine = [...registry.services.by('siteTenant', 'default')];
    await assert.rejects(verify(siteSpec('more.example', artifact), 'default'), { restCode: 'limit-exceeded' });
    await verify(siteSpec('renamed.example', artifact), 'default', mine[0]?.id);
  });

  test('is gone when its service is, and its files with the next sweep', async () => {
    const { orders, upload, directory, sites } = stage();
    const artifact = await upload({ 'index.html': 'brief' }, bob);
    const row = await store(siteSpec('brief.example', artifact), 'kube-system');
    assert.equal((await ask('/', { host: 'brief.example' })).text, 'brief');
    const [, , , id = ''] = artifact.split(':');
    const stored = orders.registry.artifacts.get(id) ?? assert.fail();
    await assert.rejects(orders.actions.artifacts.remove(stored), {
      restCode: 'conflict',
      message: new RegExp(row.id),
    });
    await orders.actions.services.remove(row);
    assert.equal(directory.isServed('brief.example'), false);
    assert.equal((await ask('/', { host: 'brief.example' })).status, 404);
    const digest = stored.status.digest ?? '';
    assert.ok((await sites.digests()).includes(digest));
    await directory.sweep();
    const left = await sites.digests();
    assert.ok(!left.includes(digest) && left.length > 0, 'those of other sites stay');
    await orders.actions.artifacts.remove(stored);
  });
});
