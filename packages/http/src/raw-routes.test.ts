import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { apiError } from '@chandlery/api';
import { eventually } from '@chandlery/testing';
import { readRequestBody } from './bodies/read-body.ts';
import type { HttpHost } from './http-host.ts';
import { type HttpLogger, silentLogger } from './logger.ts';
import type { CompletedRequest } from './request-metrics.ts';
import { readAll, sendRaw, startTestHost } from './test-host.ts';

const addHot = (host: HttpHost): void => {
  host.app.get('/hot', async () => 'framework');
  host.app.get('/hot/cold', async () => 'framework');
  host.handleUnder(
    '/hot/',
    ({ method, url }, response, common) => void response.writeHead(200, common).end(`raw ${method} ${url}`),
  );
  host.handleUnder('/hot/er/', (_request, response) => void response.end('longer'));
};

describe('a route past the framework', () => {
  const cases = [
    { path: '/hot/x?y=1', body: 'raw GET /hot/x?y=1', why: 'a path below the prefix' },
    { path: '/hot/cold', body: 'raw GET /hot/cold', why: 'a path that the framework knows as well' },
    { path: '/hot/er/x', body: 'longer', why: 'the longest prefix wins' },
    { path: '/hot', body: 'framework', why: 'a path that is not below the prefix' },
  ];
  for (const { path, body, why } of cases) {
    test(`takes what is below its prefix: ${why}`, async () => {
      await using server = await startTestHost(addHot);
      assert.equal(await (await fetch(`${server.url}${path}`)).text(), body);
    });
  }

  test('has the headers of all answers', async () => {
    await using server = await startTestHost(addHot, { requestId: () => 'r1' });
    const { headers } = await fetch(`${server.url}/hot/x`);
    assert.equal(headers.get('x-content-type-options'), 'nosniff');
    assert.equal(headers.get('cache-control'), 'no-cache, private');
    assert.equal(headers.get('audit-id'), 'r1');
  });

  test('has the limits of all requests', async () => {
    let handled = 0;
    await using server = await startTestHost(host => host.handleUnder('/hot/', () => void handled++));
    assert.equal((await fetch(`${server.url}/hot/?x=${'x'.repeat(17_000)}`)).status, 414);
    const headers = Array.from({ length: 600 }, (_, index) => `a${index}: b\r\n`).join('');
    const socket = await sendRaw(server.port, `GET /hot/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${headers}\r\n`);
    assert.match(await readAll(socket), /^HTTP\/1.1 431 [\s\S]*RequestHeaderFieldsTooLarge/);
    assert.equal(handled, 0);
  });

  test('is counted under its class', async () => {
    const answered: CompletedRequest[] = [];
    const metrics = {
      requestCompleted: (request: CompletedRequest) => answered.push(request),
      streamEnded: () => {},
      render: () => '',
    };
    const answer = (code: number) => (_request: unknown, response: { writeHead(code: number): { end(): unknown } }) =>
      void response.writeHead(code).end();
    await using server = await startTestHost(
      host => {
        host.handleUnder('/a/', answer(201), { routeClass: 'things' });
        host.handleUnder('/b/', answer(404), { routeClass: ({ method }) => `b ${method}` });
        host.handleUnder('/c/', answer(200));
      },
      { metrics },
    );
    for (const path of ['/a/1', '/b/1', '/c/1']) await fetch(`${server.url}${path}`, { method: 'PUT' });
    await eventually(() => answered.length === 3);
    assert.deepEqual(
      answered.map(({ method, routeClass, code, isStream }) => [method, routeClass, code, isStream]),
      [
        ['PUT', 'things', 201, false],
        ['PUT', 'b PUT', 404, false],
        ['PUT', '/c/', 200, false],
      ],
    );
  });
});

describe('a handler that throws', () => {
  test('is answered in its own way', async () => {
    await using server = await startTestHost(host =>
      host.handleUnder(
        '/hot/',
        async () => {
          throw apiError('Conflict', 'another writer was faster');
        },
        {
          renderError: ({ code }) => ({
            status: 418,
            body: code,
            contentType: 'text/hot',
            headers: { 'x-hot': 'yes' },
          }),
        },
      ),
    );
    const response = await fetch(`${server.url}/hot/x`);
    assert.deepEqual(
      [response.status, response.headers.get('content-type'), response.headers.get('x-hot'), await response.text()],
      [418, 'text/hot', 'yes', 'Conflict'],
    );
  });

  test('unexpectedly is logged, and sent without detail', async () => {
    const logged: unknown[] = [];
    const logger: HttpLogger = { ...silentLogger, error: (_message, fields) => logged.push(fields) };
    await using server = await startTestHost(
      host =>
        host.handleUnder('/hot/', () => {
          throw new TypeError('secret detail');
        }),
      { logger, requestId: () => 'r1' },
    );
    const response = await fetch(`${server.url}/hot/x?token=hidden`);
    assert.equal(response.status, 500);
    assert.doesNotMatch(await response.text(), /secret|TypeError/);
    const [fields] = logged as { request: string; path: string; error: string }[];
    assert.deepEqual([fields?.request, fields?.path], ['r1', '/hot/x']);
    assert.match(fields?.error ?? '', /secret detail/);
  });

  test('in the middle of its answer cuts it off', async () => {
    await using server = await startTestHost(host =>
      host.handleUnder('/hot/', async (_request, response) => {
        response.write('half');
        throw apiError('Conflict', 'too late');
      }),
    );
    await assert.rejects(fetch(`${server.url}/hot/x`).then(response => response.text()));
  });
});

describe('a body read past the framework', () => {
  const addEcho = (host: HttpHost): void =>
    host.handleUnder('/hot/', async (request, response) => {
      const body = await readRequestBody(request, 10);
      response.end(body === undefined ? 'nothing' : `${body.length}`);
    });
  const cases = [
    { why: 'no body', init: {}, wanted: [200, 'nothing'] },
    { why: 'an empty body', init: { method: 'POST', body: '' }, wanted: [200, 'nothing'] },
    { why: 'a body', init: { method: 'PUT', body: '12345' }, wanted: [200, '5'] },
  ];
  for (const { why, init, wanted } of cases) {
    test(`is what was sent: ${why}`, async () => {
      await using server = await startTestHost(addEcho);
      const response = await fetch(`${server.url}/hot/x`, init);
      assert.deepEqual([response.status, await response.text()], wanted);
    });
  }

  test('comes in chunks too', async () => {
    await using server = await startTestHost(addEcho);
    const head = 'POST /hot/x HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n';
    const socket = await sendRaw(server.port, `${head}3\r\nabc\r\n0\r\n\r\n`);
    assert.match(await readAll(socket), /^HTTP\/1.1 200 [\s\S]*\r\n\r\n3$/);
  });

  test('is 413 when it is too large', async () => {
    await using server = await startTestHost(addEcho);
    const response = await fetch(`${server.url}/hot/x`, { method: 'POST', body: 'x'.repeat(11) });
    assert.equal(response.status, 413);
    assert.equal(((await response.json()) as { code: string }).code, 'RequestEntityTooLarge');
  });
});

describe('closing', () => {
  test('lets a request past the framework finish', async () => {
    const entered = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    await using server = await startTestHost(host =>
      host.handleUnder('/hot/', async (_request, response) => {
        entered.resolve();
        await release.promise;
        response.end('done');
      }),
    );
    const answer = fetch(`${server.url}/hot/x`);
    await entered.promise;
    const closing = server.host.close({ graceMs: 30_000 });
    release.resolve();
    assert.equal(await (await answer).text(), 'done');
    await closing;
  });

  test('asks those who come meanwhile on an open connection to leave', async () => {
    const entered = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
    const release = Promise.withResolvers<void>();
    await using server = await startTestHost(host =>
      host.handleUnder('/hot/', async (request, response) => {
        entered[request.url === '/hot/first' ? 0 : 1].resolve();
        await release.promise;
        response.end('done');
      }),
    );
    const socket = await sendRaw(server.port, 'GET /hot/first HTTP/1.1\r\nHost: x\r\n\r\n');
    await entered[0].promise;
    const closing = server.host.close({ graceMs: 30_000 });
    socket.write('GET /hot/second HTTP/1.1\r\nHost: x\r\n\r\n');
    await entered[1].promise;
    release.resolve();
    const [, second = ''] = (await readAll(socket)).split('done');
    assert.match(second, /connection: close/i);
    await closing;
  });

  test('cuts a request past the framework that does not finish in time', async () => {
    const entered = Promise.withResolvers<void>();
    await using server = await startTestHost(host => host.handleUnder('/hot/', () => entered.resolve()));
    const answer = assert.rejects(fetch(`${server.url}/hot/x`));
    await entered.promise;
    await server.host.close({ graceMs: 10 });
    await answer;
  });
});
