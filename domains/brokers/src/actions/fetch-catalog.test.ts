import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BrokerConnection } from '../ports.ts';
import { fetchCatalog } from './fetch-catalog.ts';

const maxWaitMs = 15_000;

/** For how long a broker with these limits is waited for. */
async function timeoutFor(limits: { readonly timeoutMs?: number } | undefined): Promise<number | undefined> {
  let given: number | undefined;
  const body = Buffer.from(JSON.stringify({ services: [] }));
  const connection: BrokerConnection = {
    call: (_request, options) => {
      given = options?.timeoutMs;
      return Promise.resolve({ status: 200, headers: {}, body });
    },
  };
  const spec = { url: 'https://pg.example', ...(limits === undefined ? {} : { limits }) };
  await fetchCatalog(connection, { target: { name: 'pg', spec }, correlationId: 'c' }).catch(() => undefined);
  return given;
}

test('a broker that never answers does not keep its registration waiting for a minute', async () => {
  assert.ok(((await timeoutFor(undefined)) ?? Number.POSITIVE_INFINITY) < maxWaitMs);
  assert.equal(await timeoutFor({ timeoutMs: 30_000 }), 30_000, 'unless the broker has a limit of its own');
});
