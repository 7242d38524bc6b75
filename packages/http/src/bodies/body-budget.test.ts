import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isError } from '@chandlery/api';
import { eventually } from '@chandlery/testing';
import type { HttpHost } from '../http-host.ts';
import { readAll, sendRaw, startTestHost } from '../test-host.ts';
import { BodyBudget } from './body-budget.ts';

const isTooMany = (error: unknown): boolean => isError(error, 'TooManyRequests');

describe('the budget of request bodies', () => {
  const start = () => {
    let now = 0;
    const budget = new BodyBudget({ bodyBytesPerIdentity: 100, bodyBytesInAll: 150 }, () => now);
    const givenUp: string[] = [];
    const take = (identity: string, bytes: number) =>
      budget.take(identity, bytes, reason => void givenUp.push(`${identity} ${reason.code}`));
    return { budget, take, givenUp, pass: (ms: number) => void (now += ms) };
  };

  test('has a limit for each identity and one for all', () => {
    const { budget, take } = start();
    const first = take('ann', 60);
    assert.throws(() => take('ann', 50), isTooMany);
    take('bob', 60);
    assert.throws(() => take('eve', 40), isTooMany);
    first.release();
    first.release();
    assert.equal(budget.bytes, 60);
    take('eve', 40);
  });

  test('counts what grows', () => {
    const { budget, take } = start();
    const share = take('ann', 0);
    share.grow(90);
    assert.throws(() => share.grow(20), isTooMany);
    assert.equal(budget.bytes, 90);
    share.release();
    assert.equal(budget.bytes, 0);
  });

  test('gives up a slow body for another one, but none that has arrived', () => {
    const { take, givenUp, pass } = start();
    take('ann', 50).received();
    take('ann', 50);
    take('bob', 50);
    pass(9000);
    assert.throws(() => take('ann', 20), isTooMany);
    pass(1000);
    take('ann', 20);
    assert.deepEqual(givenUp, ['ann TooManyRequests']);
    take('eve', 50);
    assert.deepEqual(givenUp, ['ann TooManyRequests', 'bob TooManyRequests']);
    assert.throws(() => take('eve', 50), isTooMany);
  });
});

describe('request bodies', () => {
  const addUpload = (host: HttpHost): void => {
    host.app.post('/upload/:who', async (request, reply) => {
      host.identify(reply.raw, (request.params as { who: string }).who);
      const body = await host.readBody(request.raw, reply.raw);
      return reply.send(`${body?.length} bytes`);
    });
  };
  const upload = (who: string, headers: string) => `POST /upload/${who} HTTP/1.1\r\nHost: x\r\n${headers}\r\n\r\n`;

  test('beyond the budget of an identity get 429 before they are sent, others are read', async () => {
    await using server = await startTestHost(addUpload, { limits: { bodyBytesPerIdentity: 1000 } });
    const slow = await sendRaw(server.port, upload('ann', 'Content-Length: 900'));
    const send = (who: string) => fetch(`${server.url}/upload/${who}`, { method: 'POST', body: 'x'.repeat(200) });
    const refused = await eventually(async () => {
      const response = await send('ann');
      return response.status === 429 ? response : undefined;
    });
    assert.equal(refused.headers.get('retry-after'), '1');
    assert.equal(await (await send('bob')).text(), '200 bytes');
    slow.destroy();
    await eventually(async () => (await send('ann')).status === 200);
  });

  test('of unknown length count as they arrive', async () => {
    await using server = await startTestHost(addUpload, { limits: { bodyBytesPerIdentity: 1000 } });
    const socket = await sendRaw(server.port, upload('ann', 'Transfer-Encoding: chunked\r\nConnection: close'));
    socket.write(`320\r\n${'x'.repeat(800)}\r\n`);
    socket.write(`320\r\n${'x'.repeat(800)}\r\n0\r\n\r\n`);
    assert.match(await readAll(socket), /^HTTP\/1.1 429 /);
    const next = await fetch(`${server.url}/upload/ann`, { method: 'POST', body: 'x'.repeat(900) });
    assert.equal(next.status, 200);
  });
});
