import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { KubeObject } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import { accessRequests, clusterRequests, systemNamespace } from '@chandlery/clusters/kinds';
import { SharedInformers, type Timers } from '@chandlery/runtime';
import { eventually } from '@chandlery/testing';
import { initToken, onboardingRequirement } from '../model/access-requirements.ts';
import { startLandscape, type TestLandscape } from '../test-landscape.ts';
import { Access, type AccessState } from './access.ts';
import { readAccessSecret, readAgainAfterMs } from './access-secret.ts';
import { ConnectionPool } from './connection-pool.ts';
import { createRotatingClient } from './rotating-client.ts';

const { signal } = new AbortController();
const requirement = onboardingRequirement('foo', 'onboarding', initToken);

async function startAccess(landscape: TestLandscape): Promise<Access & AsyncDisposable> {
  const { platform } = landscape;
  const stack = new AsyncDisposableStack();
  const pool = stack.use(new ConnectionPool({ platform, connect: text => landscape.connect(text) }));
  const informers = stack.use(new SharedInformers());
  const access = new Access({ provider: 'foo', platform, informers, pool });
  await informers.synced();
  return Object.assign(access, { [Symbol.asyncDispose]: () => stack.disposeAsync() });
}

const untilReady = (access: Access): Promise<Extract<AccessState, { type: 'ready' }>> =>
  eventually(async () => {
    const state = await access.ensure(requirement, signal);
    return state.type === 'ready' && state;
  });

describe('Access to a cluster', () => {
  it('is asked for, granted, used, and given back', async () => {
    await using landscape = await startLandscape({ clusters: [] });
    await using access = await startAccess(landscape);
    const { connection } = await untilReady(access);
    const { metadata } = await connection.client.get({
      group: '',
      version: 'v1',
      plural: 'namespaces',
      name: 'default',
    });
    assert.equal(metadata.name, 'default');
    await eventually(async () => (await access.release(requirement, signal)) === undefined);
    for (const { ref } of [accessRequests, clusterRequests])
      assert.deepEqual((await landscape.platform.list({ ...ref, namespace: systemNamespace })).items, []);
  });

  it('is asked for by the same client, however often', async () => {
    await using landscape = await startLandscape({ clusters: [] });
    await using access = await startAccess(landscape);
    const first = await untilReady(access);
    const second = await untilReady(access);
    assert.equal(first.connection.client, second.connection.client);
    assert.equal(landscape.connected.length, 1);
  });

  it('is one connection for all who ask at once: a second one once stayed open for ever', async () => {
    await using landscape = await startLandscape({ clusters: [] });
    await using access = await startAccess(landscape);
    await eventually(
      async () => (await access.peek(requirement, signal)).type !== 'gone' || access.ensure(requirement, signal),
    );
    const { namespace, name } = requirement.place;
    const secret = { namespace, name: `${name}.kubeconfig` };
    await eventually(() => landscape.platform.get({ group: '', version: 'v1', plural: 'secrets', ...secret }));
    const connect = (text: string): Client => landscape.connect(text);
    await using pool = new ConnectionPool({ platform: landscape.platform, connect });
    const before = landscape.connected.length;
    const all = await Promise.all([1, 2, 3].map(() => pool.connect('id', secret)));
    assert.equal(new Set(all.map(({ client }) => client)).size, 1);
    assert.equal(landscape.connected.length - before, 1);
  });

  it('is not taken from another owner of the same name', async () => {
    await using landscape = await startLandscape({ clusters: [] });
    await using access = await startAccess(landscape);
    const { namespace, name } = requirement.place;
    const theirs = clusterRequests.object(
      { namespace, name, labels: { 'openmcp.cloud/managed-by': 'bar' } },
      { purpose: 'x' },
    );
    await landscape.platform.create({ ...clusterRequests.ref, namespace }, theirs);
    await assert.rejects(access.ensure(requirement, signal), {
      code: 'NotManaged',
      message: /is not managed by this provider/,
    });
    assert.equal(await access.release(requirement, signal), undefined);
    await landscape.platform.get({ ...clusterRequests.ref, namespace, name });
  });

  it('that is pending reports what the request waits for', async () => {
    await using landscape = await startLandscape({ clusters: [] });
    landscape.isGranting = false;
    await using access = await startAccess(landscape);
    await access.ensure(requirement, signal);
    const conditions = [{ type: 'Ready', status: 'False', reason: 'ClusterNotReady', message: 'There is no node.' }];
    const status = { ...accessRequests.ref, ...requirement.place, subresource: 'status' };
    await landscape.platform.patch(status, { type: 'merge', body: { status: { phase: 'Pending', conditions } } });
    await eventually(async () => {
      const state = await access.ensure(requirement, signal);
      return state.type === 'waiting' && state.message.endsWith(', it is pending: There is no node.');
    });
  });

  it('is not asked for when there is nothing to clean up', async () => {
    await using landscape = await startLandscape({ clusters: [] });
    await using access = await startAccess(landscape);
    assert.deepEqual(await access.find(requirement, signal), { type: 'gone' });
    assert.deepEqual((await landscape.platform.list({ ...accessRequests.ref, namespace: systemNamespace })).items, []);
  });
});

describe('The Secret of an access', () => {
  const secret = (data: Record<string, string>): KubeObject => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 's', namespace: 'n' },
    data: Object.fromEntries(Object.entries(data).map(([key, text]) => [key, Buffer.from(text).toString('base64')])),
  });
  const now = new Date('2030-01-01T00:00:00Z');
  const seconds = (hours: number): string => String(now.getTime() / 1000 + hours * 3600);

  it('must have a kubeconfig', () => {
    assert.throws(() => readAccessSecret(secret({})), { code: 'AccessIncomplete', message: /Secret n\/s/ });
  });

  const cases: readonly { why: string; data: Record<string, string>; hours: number }[] = [
    { why: 'the end is not known', data: {}, hours: 24 },
    {
      why: 'a token of ten hours',
      data: { creationTimestamp: seconds(0), expirationTimestamp: seconds(10) },
      hours: 8.5,
    },
    { why: 'it is due', data: { creationTimestamp: seconds(-9), expirationTimestamp: seconds(1) }, hours: 1 / 60 },
    {
      why: 'a token of a month',
      data: { creationTimestamp: seconds(0), expirationTimestamp: seconds(720) },
      hours: 24,
    },
  ];
  for (const { why, data, hours } of cases) {
    it(`is read again in time: ${why}`, () => {
      const read = readAccessSecret(secret({ kubeconfig: 'k', ...data }));
      assert.equal(readAgainAfterMs(read, now) / 3_600_000, hours);
    });
  }
});

describe('A client that outlives its credentials', () => {
  it('uses the new connection at once and closes the old one later', async () => {
    const asked: string[] = [];
    const closed: string[] = [];
    const due: (() => void)[] = [];
    const timers: Timers = { after: (_, call) => (due.push(call), () => undefined) };
    const client = (name: string): Client =>
      ({
        get: async () => void asked.push(name),
        [Symbol.asyncDispose]: async () => void closed.push(name),
      }) as unknown as Client;
    const rotating = createRotatingClient(client('old'), { timers });
    const at = { group: '', version: 'v1', plural: 'pods', name: 'p' };
    await rotating.get(at);
    rotating.replace(client('new'));
    await rotating.get(at);
    assert.deepEqual([asked, closed], [['old', 'new'], []]);
    for (const call of due) call();
    await eventually(() => closed.length === 1);
    await rotating[Symbol.asyncDispose]();
    assert.deepEqual(closed, ['old', 'new']);
  });
});
