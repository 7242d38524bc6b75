import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { describe, test } from 'node:test';
import { type ChandleryError, isError, type KubeObject } from '@chandlery/api';
import { freePort, tempFolder } from '@chandlery/testing';
import type { ObjectRef, ResourceRef, WatchEvent } from './client.ts';
import { createClient } from './http-client.ts';
import { type Answer, type SeenRequest, sendJson, startTestServer } from './test-server.ts';

const configMaps: ResourceRef = { group: '', version: 'v1', plural: 'configmaps', namespace: 'default' };
const configMap: ObjectRef = { ...configMaps, name: 'a' };
const clusters: ResourceRef = { group: 'core.chandlery.io', version: 'v1alpha1', plural: 'logicalclusters' };
const object: KubeObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } };

const echo: Answer = (_request, response) => sendJson(response, 200, object);

async function seenBy(call: (client: ReturnType<typeof createClient>) => Promise<unknown>): Promise<SeenRequest> {
  await using server = await startTestServer(echo);
  await using client = createClient(server.connection);
  assert.deepEqual(await call(client), object);
  const [seen] = server.seen;
  assert.ok(seen);
  return seen;
}

describe('a client asks for the right thing', () => {
  type Call = Parameters<typeof seenBy>[0];
  const patched = (type: string, body: unknown) => ({ 'content-type': type, body: JSON.stringify(body) });
  const cases: readonly { why: string; call: Call; line: string; sent?: { 'content-type': string; body: string } }[] = [
    { why: 'get', call: c => c.get(configMap), line: 'GET /clusters/a/api/v1/namespaces/default/configmaps/a' },
    {
      why: 'get of a sub-resource in a group',
      call: c => c.get({ ...clusters, name: 'x', subresource: 'status' }),
      line: 'GET /clusters/a/apis/core.chandlery.io/v1alpha1/logicalclusters/x/status',
    },
    {
      why: 'list with everything',
      call: c =>
        c.list(configMaps, {
          labelSelector: 'a=b,c!=d',
          fieldSelector: 'metadata.name=x',
          limit: 5,
          continue: 'x/=',
          resourceVersion: '3',
        }),
      line: 'GET /clusters/a/api/v1/namespaces/default/configmaps?labelSelector=a%3Db%2Cc%21%3Dd&fieldSelector=metadata.name%3Dx&limit=5&continue=x%2F%3D&resourceVersion=3',
    },
    {
      why: 'create',
      call: c => c.create(configMaps, object, { fieldManager: 'me', isDryRun: true }),
      line: 'POST /clusters/a/api/v1/namespaces/default/configmaps?fieldManager=me&dryRun=All',
      sent: patched('application/json', object),
    },
    {
      why: 'create with the name of the object',
      call: c => c.create(configMap, object),
      line: 'POST /clusters/a/api/v1/namespaces/default/configmaps',
    },
    {
      why: 'create of a sub-resource',
      call: c => c.create({ ...configMap, subresource: 'token' }, object),
      line: 'POST /clusters/a/api/v1/namespaces/default/configmaps/a/token',
    },
    {
      why: 'update',
      call: c => c.update(configMap, object),
      line: 'PUT /clusters/a/api/v1/namespaces/default/configmaps/a',
      sent: patched('application/json', object),
    },
    {
      why: 'merge patch',
      call: c => c.patch(configMap, { type: 'merge', body: { data: null } }),
      line: 'PATCH /clusters/a/api/v1/namespaces/default/configmaps/a',
      sent: patched('application/merge-patch+json', { data: null }),
    },
    {
      why: 'JSON patch',
      call: c => c.patch(configMap, { type: 'json', body: [{ op: 'remove', path: '/data' }] }),
      line: 'PATCH /clusters/a/api/v1/namespaces/default/configmaps/a',
      sent: patched('application/json-patch+json', [{ op: 'remove', path: '/data' }]),
    },
    {
      why: 'strategic patch',
      call: c => c.patch(configMap, { type: 'strategic', body: {} }),
      line: 'PATCH /clusters/a/api/v1/namespaces/default/configmaps/a',
      sent: patched('application/strategic-merge-patch+json', {}),
    },
    {
      why: 'apply by force',
      call: c => c.patch(configMap, { type: 'apply', body: object, force: true }, { fieldManager: 'me' }),
      line: 'PATCH /clusters/a/api/v1/namespaces/default/configmaps/a?force=true&fieldManager=me',
      sent: patched('application/apply-patch+yaml', object),
    },
    {
      why: 'delete',
      call: c => c.delete(configMap, { propagationPolicy: 'Foreground', preconditions: { uid: 'u' }, isDryRun: true }),
      line: 'DELETE /clusters/a/api/v1/namespaces/default/configmaps/a?dryRun=All',
      sent: patched('application/json', {
        apiVersion: 'v1',
        kind: 'DeleteOptions',
        propagationPolicy: 'Foreground',
        preconditions: { uid: 'u' },
        dryRun: ['All'],
      }),
    },
    { why: 'raw below the prefix', call: async c => (await c.raw('/version')).json(), line: 'GET /clusters/a/version' },
    {
      why: 'raw from the root',
      call: async c => (await c.raw('/readyz', { isFromRoot: true, query: { verbose: '' } })).json(),
      line: 'GET /readyz?verbose=',
    },
    {
      why: 'raw with bytes',
      call: async c => {
        const headers = { 'content-type': 'application/octet-stream' };
        return (await c.raw('/blob', { method: 'PATCH', headers, body: Buffer.from('"bytes"') })).json();
      },
      line: 'PATCH /clusters/a/blob',
      sent: patched('application/octet-stream', 'bytes'),
    },
  ];
  for (const { why, call, line, sent } of cases) {
    test(why, async () => {
      const { method, url, headers, body } = await seenBy(call);
      assert.equal(`${method} ${url}`, line);
      assert.equal(headers.authorization, 'Bearer secret');
      if (sent !== undefined) assert.deepEqual({ 'content-type': headers['content-type'], body }, sent);
    });
  }

  test('with a client certificate instead of a token', async () => {
    await using server = await startTestServer(echo);
    const { caPem, clientCertificate, url } = server;
    await using client = createClient({ server: url, caPem, clientCertificate });
    await client.get(configMap);
    assert.equal(server.seen[0]?.certificateName, 'jane');
    assert.equal(server.seen[0]?.headers.authorization, undefined);
  });

  test('with the token in a file', async () => {
    await using folder = await tempFolder();
    await writeFile(folder.join('token'), 'from-file\n');
    await using server = await startTestServer(echo);
    await using client = createClient({ ...server.connection, tokenFile: folder.join('token') });
    await client.get(configMap);
    assert.equal(server.seen[0]?.headers.authorization, 'Bearer from-file');
  });

  test('page by page', async () => {
    await using server = await startTestServer((request, response) => {
      const isLast = request.url.includes('continue=next');
      sendJson(response, 200, { metadata: isLast ? {} : { continue: 'next' }, items: [object] });
    });
    await using client = createClient(server.connection);
    assert.equal((await Array.fromAsync(client.listAll(configMaps, { resourceVersion: '0' }))).length, 2);
    assert.doesNotMatch(server.seen[1]?.url ?? '', /resourceVersion/);
  });
});

describe('a client says what went wrong', () => {
  async function failure(answer: Answer): Promise<ChandleryError> {
    await using server = await startTestServer(answer);
    await using client = createClient({ ...server.connection, timeoutMs: 300 });
    const thrown = await client.get(configMap).then(
      () => undefined,
      (error: unknown) => error,
    );
    assert.ok(isError(thrown));
    return thrown;
  }

  test('in the words of a Status', async () => {
    const error = await failure((_request, response) =>
      sendJson(response, 422, {
        kind: 'Status',
        message: 'bad',
        reason: 'Invalid',
        code: 422,
        details: { name: 'a', kind: 'ConfigMap', causes: [{ reason: 'FieldValueRequired', message: 'm', field: 'f' }] },
      }),
    );
    assert.equal(error.code, 'Invalid');
    assert.equal(error.message, 'bad');
    assert.deepEqual(error.details, {
      name: 'a',
      kind: 'ConfigMap',
      causes: [{ reason: 'FieldValueRequired', message: 'm', field: 'f' }],
    });
  });

  const plain: readonly { status: number; body: string; code: string; message: string }[] = [
    {
      status: 404,
      body: '404 page not found',
      code: 'NotFound',
      message: 'the server answered 404: 404 page not found',
    },
    { status: 409, body: '{"kind":"Status","code":409}', code: 'AlreadyExists', message: 'the server answered 409' },
    { status: 418, body: '', code: 'BadRequest', message: 'the server answered 418' },
    { status: 502, body: '<html>', code: 'InternalError', message: 'the server answered 502: <html>' },
  ];
  for (const { status, body, code, message } of plain) {
    test(`when the answer is ${status} with ${body || 'nothing'}`, async () => {
      const error = await failure((_request, response) => void response.writeHead(status).end(body));
      assert.deepEqual([error.code, error.message], [code, message]);
    });
  }

  test('when the answer is no JSON', async () => {
    const error = await failure((_request, response) => void response.end('<html>'));
    assert.equal(error.code, 'UnexpectedAnswer');
  });

  test('when no server listens', async () => {
    await using client = createClient({ server: `https://127.0.0.1:${await freePort()}` });
    await assert.rejects(client.get(configMap), (error: ChandleryError) => {
      assert.equal(error.code, 'ConnectionFailed');
      assert.match(error.message, /^cannot talk to https:\/\/127\.0\.0\.1:\d+: no server listens there$/);
      assert.match(error.hint ?? '', /npm start/);
      return true;
    });
  });

  test('when the certificate is not trusted', async () => {
    await using server = await startTestServer(echo);
    await using client = createClient({ server: server.url });
    await assert.rejects(client.get(configMap), (error: ChandleryError) => {
      assert.equal(error.code, 'UntrustedServer');
      assert.match(error.hint ?? '', /may have been replaced since/);
      return true;
    });
  });

  test('when the connection is cut', async () => {
    const error = await failure((_request, response) => void response.destroy());
    assert.equal(error.code, 'ConnectionFailed');
  });

  test('when no answer comes', async () => {
    const error = await failure(() => {});
    assert.equal(error.code, 'Timeout');
  });

  test('when its signal aborts', async () => {
    await using server = await startTestServer(() => {});
    await using client = createClient(server.connection);
    const reason = new Error('enough');
    const abort = new AbortController();
    const asked = client.get(configMap, { signal: abort.signal });
    abort.abort(reason);
    await assert.rejects(asked, reason);
  });

  test('when the address is none', () => {
    assert.throws(() => createClient({ server: 'ftp://x' }), { code: 'KubeconfigInvalid' });
  });

  test('when an apply names no field manager', async () => {
    await using client = createClient({ server: 'https://127.0.0.1:1' });
    await assert.rejects(client.patch(configMap, { type: 'apply', body: object }), /fieldManager/);
  });
});

describe('a client with a Retry-After response', () => {
  test('asks again', async () => {
    let asked = 0;
    await using server = await startTestServer((_request, response) => {
      if (asked++ < 2) response.writeHead(429, { 'retry-after': '0' }).end('{}');
      else sendJson(response, 200, object);
    });
    await using client = createClient(server.connection);
    assert.deepEqual(await client.create(configMaps, object), object);
    assert.deepEqual(
      server.seen.map(({ body }) => body),
      Array(3).fill(JSON.stringify(object)),
    );
  });

  test('gives up after a while', async () => {
    await using server = await startTestServer(
      (_request, response) => void response.writeHead(429, { 'retry-after': '0' }).end(),
    );
    await using client = createClient(server.connection);
    await assert.rejects(client.get(configMap), { code: 'TooManyRequests' });
    assert.equal(server.seen.length, 6);
  });

  test('does not ask again without a time, or for another reason', async () => {
    await using server = await startTestServer((request, response) => {
      if (request.url.endsWith('/a')) response.writeHead(429).end();
      else response.writeHead(503, { 'retry-after': '0' }).end();
    });
    await using client = createClient(server.connection);
    await assert.rejects(client.get(configMap), { code: 'TooManyRequests' });
    await assert.rejects(client.get({ ...configMap, name: 'b' }), { code: 'ServiceUnavailable' });
    assert.equal(server.seen.length, 2);
  });
});

describe('a watch', () => {
  const event = (type: string, name: string) => ({ type, object: { ...object, metadata: { name } } });
  const line = (type: string, name: string): string => `${JSON.stringify(event(type, name))}\n`;
  const namesOf = (events: readonly WatchEvent[]): string[] =>
    events.map(({ type, object: o }) => `${type} ${o.metadata.name}`);

  test('gives events until the server ends it, however they are cut', async () => {
    await using server = await startTestServer(async (_request, response) => {
      const bytes = Buffer.from(`${line('ADDED', 'ä')}${line('FUTURE', 'x')}${line('BOOKMARK', 'b')}`);
      for (let at = 0; at < bytes.length; at += 9) {
        response.write(bytes.subarray(at, at + 9));
        await new Promise(setImmediate);
      }
      response.end();
    });
    await using client = createClient(server.connection);
    const events = await Array.fromAsync(client.watch(configMaps, { resourceVersion: '5', timeoutSeconds: 9 }));
    assert.deepEqual(namesOf(events), ['ADDED ä', 'BOOKMARK b']);
    assert.match(
      server.seen[0]?.url ?? '',
      /\?resourceVersion=5&timeoutSeconds=9&watch=true&allowWatchBookmarks=true$/,
    );
  });

  const endless: Answer = (_request, response) => void response.write(line('ADDED', 'a'));

  test('ends without an error when its signal says so', async () => {
    await using server = await startTestServer(endless);
    await using client = createClient(server.connection);
    const abort = new AbortController();
    const events: WatchEvent[] = [];
    for await (const seen of client.watch(configMaps, { signal: abort.signal })) {
      events.push(seen);
      abort.abort();
    }
    assert.deepEqual(namesOf(events), ['ADDED a']);
    assert.deepEqual(await Array.fromAsync(client.watch(configMaps, { signal: abort.signal })), []);
  });

  test('closes its connection when the reader stops', async () => {
    const closed = Promise.withResolvers<void>();
    await using server = await startTestServer((request, response) => {
      response.on('close', closed.resolve);
      return endless(request, response);
    });
    await using client = createClient(server.connection);
    for await (const seen of client.watch(configMaps)) if (seen.type === 'ADDED') break;
    await closed.promise;
  });

  test('throws what an ERROR event says', async () => {
    await using server = await startTestServer((_request, response) => {
      const object = { kind: 'Status', code: 410, reason: 'Expired', message: 'too old' };
      response.end(`${JSON.stringify({ type: 'ERROR', object })}\n`);
    });
    await using client = createClient(server.connection);
    await assert.rejects(Array.fromAsync(client.watch(configMaps)), { code: 'Expired', message: 'too old' });
  });

  const broken: readonly { why: string; code: string; answer: (response: ServerResponse) => void }[] = [
    {
      why: 'the connection is cut',
      code: 'ConnectionFailed',
      answer: r => r.write(line('ADDED', 'a'), () => r.destroy()),
    },
    { why: 'a line is no JSON', code: 'UnexpectedAnswer', answer: r => r.end('{\n') },
    { why: 'a line is no event', code: 'UnexpectedAnswer', answer: r => r.end('1\n') },
    {
      why: 'it is forbidden',
      code: 'Forbidden',
      answer: r => sendJson(r, 403, { kind: 'Status', reason: 'Forbidden' }),
    },
  ];
  for (const { why, code, answer } of broken) {
    test(`rejects when ${why}`, async () => {
      await using server = await startTestServer((_request, response) => answer(response));
      await using client = createClient(server.connection);
      await assert.rejects(Array.fromAsync(client.watch(configMaps)), { code });
    });
  }
});

describe('a raw answer', () => {
  test('can be read in pieces', async () => {
    await using server = await startTestServer((_request, response) => void response.end('x'.repeat(200_000)));
    await using client = createClient(server.connection);
    const { status, body } = await client.raw('/big');
    const length = (await Array.fromAsync(body)).reduce((sum, piece) => sum + piece.length, 0);
    assert.deepEqual([status, length], [200, 200_000]);
  });

  test('of an accepted status is no error', async () => {
    await using server = await startTestServer((_request, response) => void response.writeHead(503).end('no'));
    await using client = createClient(server.connection);
    const answer = await client.raw('/readyz', { accept: [503] });
    assert.deepEqual([answer.status, await answer.text()], [503, 'no']);
  });
});

describe('a client with a token file', () => {
  test('sends what the file holds now when the server rejects what it held, once', async () => {
    await using folder = await tempFolder();
    const tokenFile = folder.join('token');
    await writeFile(tokenFile, 'old');
    await using server = await startTestServer(({ headers }, response) =>
      sendJson(response, headers.authorization === 'Bearer new' ? 200 : 401, object),
    );
    const { token: _, ...connection } = server.connection;
    await using client = createClient({ ...connection, tokenFile });
    await assert.rejects(client.get(configMap), { code: 'Unauthorized' });
    assert.equal(server.seen.length, 1, 'a token that is still the same was sent again');
    await writeFile(tokenFile, 'new');
    assert.deepEqual(await Promise.all([client.get(configMap), client.get(configMap)]), [object, object]);
    await rm(tokenFile);
    assert.deepEqual(await client.get(configMap), object);
  });

  test('that is not there yet says to look at what writes it', async () => {
    await using folder = await tempFolder();
    await using client = createClient({ server: 'https://127.0.0.1:1', tokenFile: folder.join('token') });
    await assert.rejects(client.get(configMap), { code: 'KubeconfigInvalid', hint: /what writes the file/ });
  });
});
