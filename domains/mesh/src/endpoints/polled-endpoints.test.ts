import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '@chandlery/testing';
import type { Endpoint } from '../model/endpoint.ts';
import { createPolledEndpoints } from './polled-endpoints.ts';

const web = { namespace: 'shop', name: 'web' };
const at = (ip: string, more: Partial<Endpoint> = {}): Endpoint => ({
  ...{ ip, port: 8080, portName: '', health: 'healthy', cluster: 'east' },
  ...more,
});

/** A provider of a platform whose responses the test sets. */
function start(first: () => Promise<readonly Endpoint[]>, timeoutMs = 5000) {
  const platform = { answer: first };
  const read = async () => new Map([['shop/web', await platform.answer()]]);
  const provider = createPolledEndpoints({ id: 'test', intervalMs: 5, timeoutMs, read });
  return { platform, provider, shown: () => provider.listEndpointsForService(web).map(({ ip }) => ip) };
}

const invalid: readonly { readonly why: string; readonly endpoint: Endpoint }[] = [
  { why: 'a host name', endpoint: at('web.example.com') },
  { why: 'no address', endpoint: at('0.0.0.0') },
  { why: 'no port', endpoint: at('10.0.0.2', { port: 0 }) },
  { why: 'half a port', endpoint: at('10.0.0.2', { port: 80.5 }) },
  { why: 'a negative weight', endpoint: at('10.0.0.2', { weight: -1 }) },
];
for (const { why, endpoint } of invalid) {
  test(`a read with ${why} changes nothing, and makes the provider stale until the next good one`, async () => {
    const { platform, provider, shown } = start(() => Promise.resolve([at('10.0.0.1')]));
    await using _ = provider;
    await provider.synced;
    platform.answer = () => Promise.resolve([at('10.0.0.3'), endpoint]);
    await eventually(() => provider.staleReason?.includes(endpoint.ip), { what: 'the reason' });
    assert.deepEqual(shown(), ['10.0.0.1']);
    platform.answer = () => Promise.resolve([at('FD00::3')]);
    await eventually(() => provider.staleReason === undefined, { what: 'a fresh answer' });
    assert.deepEqual(shown(), ['fd00::3']);
  });
}

test('a read that never ends makes the provider stale, and does not block its disposal', async () => {
  const { platform, provider, shown } = start(() => Promise.resolve([at('10.0.0.1')]), 20);
  await provider.synced;
  platform.answer = () => new Promise(() => undefined);
  await eventually(() => provider.staleReason !== undefined, { what: 'the provider to notice' });
  assert.deepEqual(shown(), ['10.0.0.1']);
  await provider[Symbol.asyncDispose]();
});

test('a service that is missing in a read has no endpoints any more', async () => {
  let lists = new Map([['shop/web', [at('10.0.0.1')]]]);
  await using provider = createPolledEndpoints({ id: 'test', intervalMs: 5, read: () => Promise.resolve(lists) });
  await provider.synced;
  const told: string[] = [];
  provider.subscribe(changed => told.push(...changed));
  lists = new Map();
  await eventually(() => told.length > 0, { what: 'the change' });
  assert.deepEqual([told, provider.listEndpointsForService(web), [...provider.listServices()]], [['shop/web'], [], []]);
});
