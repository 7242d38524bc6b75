import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Client } from '@chandlery/client';
import { type AccessRequest, accessRequests, clusters, systemNamespace } from '@chandlery/clusters/kinds';
import { silentLogger } from '@chandlery/platform';
import { eventually, startTestPlane } from '@chandlery/testing';
import { MemberConnections } from './member-connections.ts';

const namespaces = { group: '', version: 'v1', plural: 'namespaces' };
const waiting = { isTopology: false, signal: new AbortController().signal };

/** A landscape that serves the logical clusters `a` and `b--1`, and knows the clusters `b` and `far`. */
async function start() {
  const stack = new AsyncDisposableStack();
  const plane = stack.use(await startTestPlane({ kinds: [clusters.declaration, accessRequests.declaration] }));
  const platform = plane.connect('platform');
  await platform.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: systemNamespace } });
  const asked: string[] = [];
  const members = stack.use(
    new MemberConnections({
      platform,
      isLogicalCluster: async name => ['a', 'b--1'].includes(name),
      connectLogical: name => {
        asked.push(name);
        return plane.connect('platform');
      },
      logger: silentLogger,
    }),
  );
  for (const name of ['b', 'far']) await addCluster(platform, name);
  return { platform, members, asked, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

async function addCluster(platform: Client, name: string): Promise<void> {
  const at = { ...clusters.ref, namespace: systemNamespace };
  const spec = { profile: 'p', purposes: ['mesh'], tenancy: 'Shared' as const };
  await platform.create(at, clusters.object({ name, namespace: systemNamespace }, spec));
  if (name !== 'b') return;
  const body = { status: { providerStatus: { logicalCluster: 'b--1' } } };
  await platform.patch({ ...at, name, subresource: 'status' }, { type: 'merge', body });
}

test('a cluster that the landscape serves is reached in the process, also by the name of its Cluster', async () => {
  await using registry = await start();
  for (const name of ['a', 'b']) assert.equal((await registry.members.connect(name, waiting)).isOwn, true);
  assert.deepEqual(registry.asked, ['a', 'b--1']);
  const { items } = await registry.platform.list(accessRequests.ref);
  assert.equal(items.length, 0, 'nobody is asked for access');
});

test('an unknown cluster is an error', async () => {
  await using registry = await start();
  await assert.rejects(registry.members.connect('nowhere', waiting), { code: 'ClusterNotFound' });
});

test('the service accounts of clusters that the landscape serves are known, those of others are not', async () => {
  await using registry = await start();
  const { members, platform } = registry;
  const at = { group: '', version: 'v1', plural: 'serviceaccounts', namespace: systemNamespace };
  await platform.create(at, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'web' } });
  const has = (cluster: string, name: string) => members.hasAccount(cluster, { namespace: systemNamespace, name });
  for (const name of ['a', 'b']) assert.deepEqual([await has(name, 'web'), await has(name, 'ghost')], [true, false]);
  assert.deepEqual([await has('far', 'web'), await has('nowhere', 'web')], [undefined, undefined]);
});

test('a denied request has its reason, and a pending one ends with the signal', async () => {
  await using registry = await start();
  const { platform, members } = registry;
  const stop = new AbortController();
  const given = assert.rejects(members.connect('far', { isTopology: true, signal: stop.signal }), /enough/);
  const request = await eventually(async () => (await platform.list<AccessRequest>(accessRequests.ref)).items[0]);
  const rules = request.spec.token?.permissions?.flatMap(permission => permission.rules) ?? [];
  assert.ok(
    rules.some(({ resources }) => resources?.includes('traffictargets')),
    'policies are read where they are',
  );
  stop.abort(new Error('enough'));
  await given;
  const { name = '' } = request.metadata;
  const at = { ...accessRequests.ref, namespace: systemNamespace, name, subresource: 'status' };
  const denied = assert.rejects(members.connect('far', { ...waiting, isTopology: true }), {
    code: 'AccessDenied',
    message: /"far": not for you/,
  });
  const now = new Date().toISOString();
  const condition = { type: 'Ready', status: 'False', reason: 'No', message: 'not for you', lastTransitionTime: now };
  await platform.patch(at, { type: 'merge', body: { status: { phase: 'Denied', conditions: [condition] } } });
  await denied;
});

test('waiting for a deleted request rejects, and the next attempt creates another one', async () => {
  await using registry = await start();
  const { platform, members } = registry;
  const waitingFor = assert.rejects(members.connect('far', waiting), { code: 'AccessDenied', message: /was deleted/ });
  const listed = async () => (await platform.list<AccessRequest>(accessRequests.ref)).items[0]?.metadata.name;
  const name = await eventually(listed);
  await platform.delete({ ...accessRequests.ref, namespace: systemNamespace, name });
  await waitingFor;
  const stop = new AbortController();
  const again = assert.rejects(members.connect('far', { ...waiting, signal: stop.signal }), /enough/);
  assert.equal(await eventually(listed), name);
  stop.abort(new Error('enough'));
  await again;
});
