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

test('a catalog that is nested too deeply is rejected before it is traversed', async () => {
  const fetchNested = (depth: number) => {
    const nested = `${'['.repeat(depth)}${']'.repeat(depth)}`;
    const body = Buffer.from(`{"services":[],"metadata":${nested}}`);
    const connection: BrokerConnection = { call: () => Promise.resolve({ status: 200, headers: {}, body }) };
    const target = { name: 'pg', spec: { url: 'https://pg.example' } };
    return fetchCatalog(connection, { target, correlationId: 'c' });
  };
  assert.deepEqual((await fetchNested(199)).catalog.offerings, []);
  for (const depth of [200, 600_000])
    await assert.rejects(fetchNested(depth), /service broker pg has a catalog that is nested deeper than 200 levels/);
});
