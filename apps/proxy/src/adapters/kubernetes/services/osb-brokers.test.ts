import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import { startScriptedBroker } from '../../../../../../domains/brokers/src/test-broker/scripted-broker.ts';
import { serviceBrokers } from '../kinds.ts';
import { OsbBrokers } from './osb-brokers.ts';

const secretOf = (password: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'pg' },
  data: { username: base64('proxy'), password: base64(password) },
});

const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** A broker that knows one password, called with one secret after another. */
async function catalogStatus(secrets: readonly string[]): Promise<unknown> {
  await using broker = await startScriptedBroker({ auth: { type: 'basic', username: 'proxy', password: 'new' } });
  const left = [...secrets];
  const get = async () => secretOf((left.length > 1 ? left.shift() : left[0]) ?? '');
  await using brokers = new OsbBrokers({ get } as Pick<Client, 'get'>, 5000);
  const authInfo = { basic: { secretRef: { namespace: 'proxy', name: 'pg' } } };
  const call = await brokers.open(serviceBrokers.object({ name: 'pg' }, { url: broker.url, authInfo }));
  return (await call({ path: '/v2/catalog' })).status;
}

test('a call whose credentials were rotated after they were read is not refused', async () => {
  assert.equal(await catalogStatus(['old', 'new']), 200);
});

test('credentials that are wrong stay refused', async () => {
  assert.equal(await catalogStatus(['old']), 401);
});
