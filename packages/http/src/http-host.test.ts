import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import { apiError, isError } from '@chandlery/api';
import { eventually } from '@chandlery/testing';
import { createHttpHost, type HttpHost } from './http-host.ts';
import { type HttpLogger, silentLogger } from './logger.ts';
import type { CompletedRequest } from './request-metrics.ts';
import { readAll, sendRaw, startTestHost } from './test-host.ts';

function addEcho(host: HttpHost): void {
  host.app.all('/echo', async (request, reply) => {
    const body = await host.readBody(request.raw, reply.raw);
    return reply.type('text/plain').send(body === undefined ? 'nothing' : `${body.constructor.name} ${body.length}`);
  });
}

const codeOf = async (response: Response): Promise<string> => ((await response.json()) as { code: string }).code;

describe('bodies', () => {
  for (const type of [
    'application/json',
    'application/vnd.kubernetes.protobuf',
    'text/plain',
    'application/x-yaml; charset=utf-8',
    '',
  ]) {
    test(`arrive as a buffer whatever their type: "${type}"`, async () => {
      await using server = await startTestHost(addEcho);
      const body = new Uint8Array(Buffer.from('{not json'));
      const response = await fetch(`${server.url}/echo`, {
        method: 'POST',
        body,
        headers: type === '' ? {} : { 'content-type': type },
      });
      assert.equal(await response.text(), 'Buffer 9');
    });
  }

  test('may be absent', async () => {
    await using server = await startTestHost(addEcho);
    assert.equal(await (await fetch(`${server.url}/echo`, { method: 'DELETE' })).text(), 'nothing');
    assert.equal(await (await fetch(`${server.url}/echo`)).text(), 'nothing');
  });

  test('come with DELETE too', async () => {
    await using server = await startTestHost(addEcho);
    const headers = { 'content-type': 'application/json' };
    assert.equal(
      await (await fetch(`${server.url}/echo`, { method: 'DELETE', body: '{}', headers })).text(),
      'Buffer 2',
    );
  });

  test('of 3 MiB are accepted, one byte more is 413 even when the client sends everything first', async () => {
    await using server = await startTestHost(addEcho);
    const send = (bytes: number) => fetch(`${server.url}/echo`, { method: 'POST', body: new Uint8Array(bytes) });
    assert.equal(await (await send(3 * 1024 * 1024)).text(), `Buffer ${3 * 1024 * 1024}`);
    const refused = await send(3 * 1024 * 1024 + 1);
    assert.equal(refused.status, 413);
    assert.equal(await codeOf(refused), 'RequestEntityTooLarge');
    assert.equal((await send(20 * 1024 * 1024)).status, 413);
  });

  test('without an announced length are limited too', async () => {
    await using server = await startTestHost(addEcho, { limits: { bodyBytes: 10 } });
    const socket = await sendRaw(
      server.port,
      'POST /echo HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n14\r\n',
    );
    socket.write(`${'x'.repeat(20)}\r\n0\r\n\r\n`);
    assert.match(await readAll(socket), /^HTTP\/1.1 413 /);
  });

  test('announced beyond all measure are rejected at once', async () => {
    await using server = await startTestHost(addEcho);
    const socket = await sendRaw(server.port, 'POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 9999999999\r\n\r\n');
    assert.match(String((await once(socket, 'data'))[0]), /^HTTP\/1.1 413 /);
    socket.destroy();
  });

  test('that stop half-way are not handled and break nothing', async () => {
    let handled = 0;
    const errors: string[] = [];
    const logger: HttpLogger = { ...silentLogger, error: message => errors.push(message) };
    const refused: unknown[] = [];
    await using server = await startTestHost(
      host => {
        host.app.post('/upload', async (request, reply) => {
          await host.readBody(request.raw, reply.raw);
          handled += 1;
          return '';
        });
        host.renderErrorsUnder('/upload', error => {
          refused.push(error.code);
          return { status: 400, body: '' };
        });
      },
      { logger },
    );
    const socket = await sendRaw(server.port, 'POST /upload HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nhalf');
    await eventually(async () => (await fetch(`${server.url}/livez`)).ok);
    socket.destroy();
    await eventually(() => refused.length > 0);
    assert.deepEqual([handled, errors, refused], [0, [], ['BadRequest']]);
    assert.equal((await fetch(`${server.url}/livez`)).status, 200);
  });
});

describe('limits', () => {
  test('too large headers are 431', async () => {
    await using server = await startTestHost();
    const socket = await sendRaw(server.port, `GET /livez HTTP/1.1\r\nHost: x\r\nX-Big: ${'x'.repeat(40_000)}\r\n\r\n`);
    assert.match(await readAll(socket), /^HTTP\/1.1 431 [\s\S]*RequestHeaderFieldsTooLarge/);
  });

  test('too many headers are 431', async () => {
    await using server = await startTestHost();
    const headers = Array.from({ length: 600 }, (_, index) => `a${index}: b\r\n`).join('');
    const socket = await sendRaw(server.port, `GET /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${headers}\r\n`);
    assert.match(await readAll(socket), /^HTTP\/1.1 431 [\s\S]*RequestHeaderFieldsTooLarge/);
  });

  test('a too long URL is 414', async () => {
    await using server = await startTestHost();
    const response = await fetch(`${server.url}/livez?x=${'x'.repeat(17_000)}`);
    assert.equal(response.status, 414);
    assert.equal(await codeOf(response), 'UriTooLong');
  });

  const slow = { headersTimeoutMs: 50, requestTimeoutMs: 100, timeoutCheckMs: 20 };

  test('headers that never end are cut off', async () => {
    await using server = await startTestHost(addEcho, { limits: slow });
    const socket = await sendRaw(server.port, 'GET /livez HTTP/1.1\r\nHost: x\r\nX-Slow: ');
    assert.match(await readAll(socket), /^HTTP\/1.1 408 /);
  });

  test('a body that never ends is cut off', async () => {
    await using server = await startTestHost(addEcho, { limits: slow });
    const socket = await sendRaw(server.port, 'POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nx');
    assert.match(await readAll(socket), /^HTTP\/1.1 408 /);
  });

  const nonsense: readonly (readonly [why: string, request: string])[] = [
    ['no HTTP at all', 'SSH-2.0-OpenSSH\r\n\r\n'],
    ['a bad header', 'GET / HTTP/1.1\r\nHost: x\r\nbad header\r\n\r\n'],
    ['two different lengths', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx'],
    [
      'a length and chunks',
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['a length that is no number', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: many\r\n\r\n'],
    ['no host', 'GET /livez HTTP/1.1\r\nConnection: close\r\n\r\n'],
    ['a bad escape in the path', 'GET /%zz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'],
  ];
  for (const [why, request] of nonsense) {
    test(`what makes no sense is 400: ${why}`, async () => {
      await using server = await startTestHost();
      assert.match(await readAll(await sendRaw(server.port, request)), /^HTTP\/1.1 400 /);
      assert.equal((await fetch(`${server.url}/livez`)).status, 200);
    });
  }
});

describe('errors', () => {
  const addFailures = (host: HttpHost) => {
    host.app.get('/lens/expected', async () => {
      throw apiError('Conflict', 'another writer was faster');
    });
    host.app.get('/lens/unexpected', async () => {
      throw new TypeError('secret detail');
    });
    host.app.get('/plain/busy', async () => {
      throw apiError('TooManyRequests', 'busy', { retryAfterSeconds: 7 });
    });
    host.renderErrorsUnder('/lens/', (error, request) => ({
      status: 418,
      contentType: 'application/lens',
      body: `${request.method} ${error.code}: ${error.message}`,
      headers: { 'x-lens': 'yes' },
    }));
    host.renderErrorsUnder('/broken/', () => {
      throw new Error('renderer');
    });
  };

  test('are rendered by the lens of their path', async () => {
    await using server = await startTestHost(addFailures);
    const response = await fetch(`${server.url}/lens/expected`);
    assert.equal(response.status, 418);
    assert.equal(response.headers.get('content-type'), 'application/lens');
    assert.equal(response.headers.get('x-lens'), 'yes');
    assert.equal(await response.text(), 'GET Conflict: another writer was faster');
  });

  test('of unknown paths are rendered by the lens too', async () => {
    await using server = await startTestHost(addFailures);
    const response = await fetch(`${server.url}/lens/nowhere`);
    assert.equal(await response.text(), 'GET NotFound: the server could not find the requested resource');
  });

  test('are JSON where there is no lens', async () => {
    await using server = await startTestHost(addFailures);
    const response = await fetch(`${server.url}/nowhere`);
    assert.equal(response.status, 404);
    assert.deepEqual(await response.json(), {
      code: 'NotFound',
      message: 'the server could not find the requested resource',
    });
    const busy = await fetch(`${server.url}/plain/busy`);
    assert.deepEqual([busy.status, busy.headers.get('retry-after')], [429, '7']);
  });

  test('that are unexpected are logged, and sent without detail', async () => {
    const logged: unknown[] = [];
    const logger: HttpLogger = { ...silentLogger, error: (_message, fields) => logged.push(fields) };
    await using server = await startTestHost(addFailures, { logger, requestId: () => 'r1' });
    const text = await (await fetch(`${server.url}/lens/unexpected?token=hidden`)).text();
    assert.match(text, /InternalError: .*r1/);
    assert.doesNotMatch(text, /secret|TypeError/);
    const [fields] = logged as { request: string; path: string; error: string }[];
    assert.equal(fields?.request, 'r1');
    assert.equal(fields?.path, '/lens/unexpected');
    assert.match(fields?.error ?? '', /secret detail/);
  });

  test('survive a renderer that fails', async () => {
    await using server = await startTestHost(addFailures);
    assert.equal((await fetch(`${server.url}/broken/x`)).status, 404);
  });
});

describe('answers', () => {
  test('carry headers that suit an API', async () => {
    await using server = await startTestHost(undefined, { requestId: () => 'r1' });
    for (const path of ['/livez', '/nowhere']) {
      const { headers } = await fetch(`${server.url}${path}`);
      assert.equal(headers.get('x-content-type-options'), 'nosniff', path);
      assert.equal(headers.get('cache-control'), 'no-cache, private', path);
      assert.equal(headers.get('audit-id'), 'r1', path);
    }
  });

  test('are counted by method, route and code', async () => {
    const answered: CompletedRequest[] = [];
    const metrics = {
      requestCompleted: (request: CompletedRequest) => answered.push(request),
      streamEnded: () => {},
      render: () => '',
    };
    await using server = await startTestHost(host => host.app.get('/things/:name', async () => 'x'), { metrics });
    await fetch(`${server.url}/things/a`);
    await fetch(`${server.url}/nowhere`);
    await eventually(() => answered.length === 2);
    assert.deepEqual(
      answered.map(({ method, routeClass, code }) => [method, routeClass, code]),
      [
        ['GET', '/things/:name', 200],
        ['GET', 'none', 404],
      ],
    );
  });
});

describe('health and metrics', () => {
  test('a live process says so', async () => {
    await using server = await startTestHost();
    for (const path of ['/livez', '/healthz', '/readyz']) {
      assert.equal(await (await fetch(`${server.url}${path}`)).text(), 'ok', path);
    }
    assert.equal(await (await fetch(`${server.url}/livez?verbose`)).text(), '[+]ping ok\nlivez check passed\n');
  });

  test('readiness names what is missing', async () => {
    const readiness = async () => [
      { name: 'store', isOk: true },
      { name: 'keys', isOk: false, reason: 'not loaded' },
    ];
    await using server = await startTestHost(undefined, { readiness });
    const response = await fetch(`${server.url}/readyz`);
    assert.equal(response.status, 503);
    assert.equal(await response.text(), '[+]store ok\n[-]keys failed: not loaded\nreadyz check failed\n');
  });

  test('a readiness check that fails to answer counts as not ready', async () => {
    const readiness = async () => {
      throw new Error('database down');
    };
    await using server = await startTestHost(undefined, { readiness });
    const response = await fetch(`${server.url}/readyz`);
    assert.deepEqual([response.status, (await response.text()).includes('database down')], [503, true]);
  });

  test('metrics are for the operator only', async () => {
    const metrics = { requestCompleted: () => {}, streamEnded: () => {}, render: () => 'up 1\n' };
    await using closed = await startTestHost(undefined, { metrics });
    assert.equal((await fetch(`${closed.url}/metrics`)).status, 403);
    await using guarded = await startTestHost(undefined, {
      metrics,
      authorizeOperator: async request => {
        if (request.headers.authorization !== 'Bearer right') throw apiError('Unauthorized', 'Unauthorized');
      },
    });
    assert.equal((await fetch(`${guarded.url}/metrics`)).status, 401);
    const response = await fetch(`${guarded.url}/metrics`, { headers: { authorization: 'Bearer right' } });
    assert.equal(await response.text(), 'up 1\n');
  });
});

describe('closing', () => {
  test('lets a request under way finish and rejects new connections', async () => {
    const entered = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    await using server = await startTestHost(host => {
      host.app.get('/slow', async () => {
        entered.resolve();
        await release.promise;
        return 'done';
      });
    });
    const answer = fetch(`${server.url}/slow`);
    await entered.promise;
    const closing = server.host.close({ graceMs: 30_000 });
    await eventually(async () => {
      const socket = await sendRaw(server.port, '').catch(() => 'refused');
      return socket === 'refused';
    });
    release.resolve();
    assert.equal(await (await answer).text(), 'done');
    await closing;
  });

  test('cuts what does not finish in time', async () => {
    const entered = Promise.withResolvers<void>();
    await using server = await startTestHost(host => {
      host.app.get('/never', async () => {
        entered.resolve();
        await new Promise(() => {});
      });
    });
    const answer = fetch(`${server.url}/never`).then(
      () => 'answered',
      () => 'cut',
    );
    await entered.promise;
    await server.host.close({ graceMs: 10 });
    assert.equal(await answer, 'cut');
  });

  test('does not wait for idle connections', async () => {
    await using server = await startTestHost();
    const socket = await sendRaw(server.port, 'GET /livez HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(socket, 'data');
    await server.host.close({ graceMs: 60_000 });
    await server.host.close();
  });
});

test('a taken port is a clear error', async () => {
  await using server = await startTestHost();
  const other = createHttpHost({ logger: silentLogger, readiness: async () => [] });
  await assert.rejects(other.listenPlain({ port: server.port }), thrown => {
    assert.ok(isError(thrown, 'ListenFailed'));
    assert.equal(thrown.message, `cannot listen on 127.0.0.1:${server.port}: the port is already in use`);
    return true;
  });
  await other.close();
});
