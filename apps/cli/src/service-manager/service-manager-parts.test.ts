import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, test } from 'node:test';
import { ChandleryError } from '@chandlery/api';
import { createClient } from '@chandlery/client';
import { followOperation } from './follow-operation.ts';
import { operationFailure, remainderOf } from './operation-failure.ts';
import { quoted, quotedList } from './queries.ts';
import { errorOfResponse } from './response-error.ts';
import { SmClient } from './sm-client.ts';
import type { SmOperation } from './sm-types.ts';

describe('a failing answer', () => {
  const cases: readonly { why: string; status: number; text: string; message: RegExp; hint: RegExp | undefined }[] = [
    {
      why: 'names the broker and its message',
      status: 502,
      text: '{"error":"BrokerError","description":"it failed","broker":"pg","broker_status":500}',
      message: /^it failed \(broker pg; the broker answered 500\)$/,
      hint: /broker and its log/,
    },
    {
      why: 'does not repeat what the sentence says',
      status: 502,
      text: '{"error":"BrokerError","description":"pg said 500","broker":"pg","broker_status":500}',
      message: /^pg said 500$/,
      hint: /broker and its log/,
    },
    {
      why: 'names who is in the way',
      status: 409,
      text: '{"error":"Conflict","description":"found conflicting platform","ids":["5f1c"]}',
      message: /^there is a platform of this name already \(id 5f1c\)$/,
      hint: /another name/,
    },
    {
      why: 'says how to be rid of what hangs on an instance',
      status: 400,
      text: '{"error":"BadRequest","description":"could not delete instance due to 2 existing bindings"}',
      message: /2 existing bindings$/,
      hint: /binding delete INSTANCE BINDING.*--force-delete/,
    },
    {
      why: 'speaks of the flag where the server speaks of a header',
      status: 400,
      text: '{"error":"BadRequest","description":"say in which tenant, by the header X-Chandlery-Tenant: a, b"}',
      message: /^say in which tenant: a, b$/,
      hint: /-n NAME/,
    },
    {
      why: 'speaks of the flag where the server speaks of a query',
      status: 409,
      text: '{"error":"ExistingReferenceEntity","description":"delete them first, or use cascade=true"}',
      message: /^delete them first, or use --cascade$/,
      hint: /all with it by --cascade/,
    },
    {
      why: 'may belong to another name',
      status: 502,
      text: '<html>no</html>',
      message: /answered 502: <html>/,
      hint: undefined,
    },
  ];
  for (const { why, status, text, message, hint } of cases) {
    test(why, () => {
      const error = errorOfResponse(status, text);
      assert.match(error.message, message);
      if (hint === undefined) assert.equal(error.hint, undefined);
      else assert.match(error.hint ?? '', hint);
    });
  }
});

describe('a failed operation', () => {
  const failed = (more: Partial<SmOperation>): SmOperation => ({ id: 'op', state: 'failed', ...more });

  const instance = { resource_type: '/v1/service_instances', resource_id: 'i' };
  const nextSteps: { why: string; operation: Partial<SmOperation>; isThere: boolean; hint: RegExp }[] = [
    {
      why: 'and left nothing is ordered again',
      operation: { type: 'create', retryable: true },
      isThere: false,
      hint: /^Nothing is left of it: give the same command again\.$/,
    },
    {
      why: 'and is being removed is ordered again later',
      operation: { type: 'create', retryable: true, deletion_scheduled: '2026-01-01T00:00:00Z' },
      isThere: true,
      hint: /is being removed\. When "npx chandlery operation get op" .* again\.$/,
    },
    {
      why: 'and keeps its name is retried or deleted',
      operation: { type: 'create', retryable: false, deletion_scheduled: '0001-01-01T00:00:00Z' },
      isThere: true,
      hint: /then "npx chandlery operation retry op"; or delete it with "npx chandlery instance delete INSTANCE"/,
    },
    {
      why: 'as an update for a passing reason is retried',
      operation: { type: 'update', retryable: true },
      isThere: true,
      hint: /^Try it again with "npx chandlery operation retry op"\.$/,
    },
    {
      why: 'as a deletion is tried again by itself',
      operation: { type: 'delete', retryable: true, deletion_scheduled: '2026-01-01T00:00:00Z' },
      isThere: true,
      hint: /^The deletion is tried again/,
    },
  ];
  for (const { why, operation, isThere, hint } of nextSteps)
    test(`that failed ${why}`, async () => {
      const errors = { error: 'BrokerError', description: 'away' };
      const given = failed({ ...instance, ...operation, errors });
      const get = () => (isThere ? Promise.resolve({}) : Promise.reject(new ChandleryError('NotFound', 'gone')));
      const failure = operationFailure(given, await remainderOf({ get: get as SmClient['get'] }, given));
      assert.equal(failure.message, 'away');
      assert.match(failure.hint ?? '', hint);
    });

  test('of a platform shows its first error', () => {
    assert.equal(
      operationFailure(failed({ errors: { errors: [{ error: 'E', description: 'full' }] } })).message,
      'full',
    );
  });

  test('of a cascade lists all that is left', () => {
    const cascade_errors = ['b1', 'b2'].map(resource_id => ({
      resource_type: '/v1/service_bindings',
      resource_id,
      message: { error: 'BrokerError', description: 'refused' },
    }));
    const { message } = operationFailure(failed({ errors: { cascade_errors } }));
    assert.equal(message, '2 could not be deleted: service_bindings b1: refused; service_bindings b2: refused');
  });

  test('may say nothing', () => {
    assert.match(operationFailure(failed({})).message, /does not say why/);
  });
});

test('texts are quoted for queries', () => {
  assert.equal(quoted(`it's \\ so`), `'it''s \\\\ so'`);
  assert.equal(quotedList(['a', `b'`]), `('a','b''')`);
});

test('an operation that does not end is left alone after a while', async () => {
  const body = JSON.stringify({ id: 'op', state: 'in progress', description: 'copying' });
  const server = createServer((_, response) => response.writeHead(200).end(body));
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await using sm = new SmClient(createClient({ server: `http://127.0.0.1:${port}` }), {
    params: [],
    tenant: undefined,
  });
  let printed = '';
  const progress = { write: (text: string) => void (printed += text) };
  await assert.rejects(followOperation(sm, '/v1/operations/op', { timeoutMs: 300, progress }), {
    code: 'Timeout',
    hint: 'It continues: "npx chandlery operation get /v1/operations/op --wait" follows it; --timeout waits longer.',
  });
  assert.equal(printed, 'in progress (0 s): copying\n');
  server.closeAllConnections();
  server.close();
});
