import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import type { KubeObject } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import { serviceBrokers } from '../kinds.ts';
import { OsbBrokers } from './osb-brokers.ts';

const secretOf = (password: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'pg' },
  data: { username: base64('proxy'), password: base64(password) },
});

const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** A broker that knows one password and has nothing to offer. */
async function startBroker(password: string): Promise<AsyncDisposable & { readonly url: string }> {
  const known = `Basic ${base64(`proxy:${password}`)}`;
  const server = createServer(({ headers }, response) => {
    response.writeHead(headers.authorization === known ? 200 : 401).end('{"services":[]}');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

/** A broker that knows one password, called with one secret after another. */
async function catalogStatus(secrets: readonly string[]): Promise<unknown> {
  await using broker = await startBroker('new');
  const left = [...secrets];
  const get = async () => secretOf((left.length > 1 ? left.shift() : left[0]) ?? '');
  await using brokers = new OsbBrokers({ get } as Pick<Client, 'get'>, 5000);
  const authInfo = { basic: { secretRef: { namespace: 'proxy', name: 'pg' } } };
  const call = await brokers.open(serviceBrokers.object({ name: 'pg' }, { url: broker.url, authInfo }));
  return (await call({ path: '/v2/catalog' })).status;
}

test('a call whose credentials were rotated after they were read is not rejected', async () => {
  assert.equal(await catalogStatus(['old', 'new']), 200);
});

test('credentials that are wrong stay rejected', async () => {
  assert.equal(await catalogStatus(['old']), 401);
});
