import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ChandleryError, type KubeObject } from '@chandlery/api';
import type { Client, ResourceRef, WatchEvent, WatchOptions } from '@chandlery/client';
import type { UserInfo } from '../access/index.ts';
import { logicalClusters, startTestKernel, type TestKernel } from '../test-kernel.ts';
import { createKernelClient, type KernelClientOptions } from './kernel-client.ts';

// What it shares with the client over HTTP is tried by the contract suite in packages/client.

const configMaps: ResourceRef = { group: '', version: 'v1', plural: 'configmaps', namespace: 'default' };
const configMap = (name: string): KubeObject => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });

const clientOf = ({ kernel }: TestKernel, options: Partial<KernelClientOptions> = {}): Client =>
  createKernelClient(kernel, { cluster: 'onboarding', ...options });

async function grant(plane: TestKernel, name: string, rules: object[]): Promise<void> {
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name };
  const subjects = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name }];
  const metadata = { name };
  await plane.create('rbac.authorization.k8s.io/v1/clusterroles', { metadata, rules });
  await plane.create('rbac.authorization.k8s.io/v1/clusterrolebindings', { metadata, roleRef, subjects });
  await plane.settled();
}

describe('a client in process', () => {
  test('knows only the logical cluster that it is of', async () => {
    await using plane = await startTestKernel();
    await using client = clientOf(plane, { cluster: 'nowhere' });
    await assert.rejects(client.list(configMaps), { code: 'NotFound', message: /logicalclusters.*"nowhere"/ });
  });

  test('skips what the caller has already, and delivers the rest in order', async () => {
    await using plane = await startTestKernel();
    await using client = clientOf(plane);
    const asked: string[] = [];
    const isKnown = (name: string, revision: number): boolean => {
      asked.push(`${name} ${revision}`);
      return name === 'known';
    };
    const { metadata } = await client.list(configMaps);
    const watch = client.watch(configMaps, { resourceVersion: metadata.resourceVersion ?? '', isKnown });
    const made = await Promise.all(['known', 'other'].map(name => client.create(configMaps, configMap(name))));
    await client.delete({ ...configMaps, name: 'known' });
    const received: string[] = [];
    for await (const { type, object } of watch) {
      received.push(`${type} ${object.metadata.name}`);
      if (received.length === 2) break;
    }
    assert.deepEqual(received, ['ADDED other', 'DELETED known'], 'a deletion is always delivered');
    const states = made.map(object => `${object.metadata.name} ${object.metadata.resourceVersion}`);
    assert.deepEqual(asked.toSorted(), states.toSorted());
  });

  test('may do what its user may, and no more', async () => {
    await using plane = await startTestKernel();
    const jane: UserInfo = { username: 'jane', groups: ['system:authenticated'] };
    await grant(plane, 'jane', [
      { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'patch'] },
      { apiGroups: [''], resources: ['configmaps'], resourceNames: ['a'], verbs: ['watch', 'list'] },
      { apiGroups: ['rbac.authorization.k8s.io'], resources: ['clusterroles'], verbs: ['create'] },
    ]);
    await plane.create('configmaps', configMap('a'));
    await using client = clientOf(plane, { user: jane, fieldManager: 'jane' });
    const at = (name: string) => ({ ...configMaps, name });
    assert.equal((await client.get(at('a'))).metadata.name, 'a');
    assert.equal((await client.list(configMaps, { fieldSelector: 'metadata.name=a' })).items.length, 1);
    await client.patch(at('a'), { type: 'apply', body: configMap('a') });
    const forbidden = { code: 'Forbidden' };
    await assert.rejects(client.list(configMaps), forbidden);
    await assert.rejects(client.delete(at('a')), forbidden);
    await assert.rejects(client.create(configMaps, configMap('b')), forbidden);
    await assert.rejects(client.patch(at('b'), { type: 'apply', body: configMap('b') }), forbidden);
    await assert.rejects(Array.fromAsync(client.watch(configMaps)), forbidden);
    const roles = { group: 'rbac.authorization.k8s.io', version: 'v1', plural: 'clusterroles' };
    const all = { apiGroups: ['*'], resources: ['*'], verbs: ['*'] };
    const role = {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name: 'r' },
      rules: [all],
    };
    await assert.rejects(client.create(roles, role), forbidden);
  });

  test('writes in the name of its field manager', async () => {
    await using plane = await startTestKernel();
    const managerOf = async (options: Partial<KernelClientOptions>, fieldManager?: string) => {
      await using client = clientOf(plane, options);
      const write = fieldManager === undefined ? {} : { fieldManager };
      const body = { ...configMap(''), metadata: { generateName: 'x-' }, data: { a: '1' } } as KubeObject;
      return (await client.create(configMaps, body, write)).metadata.managedFields?.[0]?.manager;
    };
    assert.equal(await managerOf({}), 'chandlery');
    assert.equal(await managerOf({ fieldManager: 'domain' }), 'domain');
    assert.equal(await managerOf({ fieldManager: 'domain' }, 'call'), 'call');
    await assert.rejects(managerOf({}, 'x'.repeat(129)), { code: 'BadRequest' });
  });

  test('binds and evicts pods', async () => {
    await using plane = await startTestKernel();
    await using client = clientOf(plane);
    const pods: ResourceRef = { ...configMaps, plural: 'pods' };
    const containers = [{ name: 'c', image: 'i' }];
    await client.create(pods, { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec: { containers } });
    const below = (subresource: string) => ({ ...pods, name: 'p', subresource });
    const binding = { apiVersion: 'v1', kind: 'Binding', metadata: { name: 'p' }, target: { kind: 'Node', name: 'n' } };
    assert.equal((await client.create<KubeObject>(below('binding'), binding))['status'], 'Success');
    assert.equal(((await client.get(below('status')))['spec'] as { nodeName?: string }).nodeName, 'n');
    await client.create(below('eviction'), { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'p' } });
    assert.ok((await client.get({ ...pods, name: 'p' })).metadata.deletionTimestamp);
    await assert.rejects(client.get(below('log')), { code: 'NotFound' });
  });

  test('gets tokens from the configured issuer', async () => {
    const expirationTimestamp = '2030-01-01T00:00:00Z';
    await using silent = await startTestKernel();
    await using plane = await startTestKernel({
      tokens: { issue: async ({ name }) => ({ token: `of ${name}`, expirationTimestamp }) },
    });
    const accounts: ResourceRef = { ...configMaps, plural: 'serviceaccounts' };
    const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', metadata: {}, spec: {} };
    const ref = { ...accounts, name: 'me', subresource: 'token' };
    const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'me' } };
    await using poor = clientOf(silent);
    await poor.create(accounts, account);
    await assert.rejects(poor.create(ref, body), { code: 'NotFound' });
    await using client = clientOf(plane);
    await assert.rejects(client.create(ref, body), { code: 'NotFound' });
    await client.create(accounts, account);
    const answer = await client.create<KubeObject>(ref, body);
    assert.deepEqual(answer['status'], { token: 'of me', expirationTimestamp });
  });

  test('stops waiting at the timeout, whatever becomes of the call', async () => {
    const gate = Promise.withResolvers<void>();
    let isSlow = false;
    await using plane = await startTestKernel({
      wrap: store =>
        new Proxy(store, {
          get: (target, name) => {
            const member: unknown = Reflect.get(target, name);
            if (typeof member !== 'function') return member;
            if (name === 'get' && isSlow) return (key: never) => gate.promise.then(() => target.get(key));
            return member.bind(target) as unknown;
          },
        }),
    });
    await using client = clientOf(plane);
    await client.list(configMaps);
    isSlow = true;
    const reason = new Error('enough');
    const abort = new AbortController();
    const waiting = client.get({ ...configMaps, name: 'a' }, { signal: abort.signal });
    abort.abort(reason);
    await assert.rejects(waiting, reason);
    await assert.rejects(client.get({ ...configMaps, name: 'a' }, { timeoutMs: 1 }), { code: 'Timeout' });
    gate.resolve();
  });

  test('says what a server would say when the store fails', async () => {
    let failure: Error | undefined;
    await using plane = await startTestKernel({
      wrap: store =>
        new Proxy(store, {
          get: (target, name) => {
            const member: unknown = Reflect.get(target, name);
            if (typeof member !== 'function') return member;
            const thrown = failure;
            if (name === 'commit' && thrown !== undefined) return () => Promise.reject(thrown);
            return member.bind(target) as unknown;
          },
        }),
    });
    await using client = clientOf(plane);
    failure = new ChandleryError('Unavailable', 'the disk is full', { hint: 'Make room.' });
    const received = { code: 'ServiceUnavailable', message: 'the disk is full', hint: 'Make room.' };
    await assert.rejects(client.create(configMaps, configMap('a')), received);
    failure = new TypeError('a bug');
    await assert.rejects(client.create(configMaps, configMap('a')), { code: 'InternalError', cause: failure });
    failure = undefined;
  });

  test('that is disposed of ends its watches and takes no calls', async () => {
    await using plane = await startTestKernel();
    const client = clientOf(plane);
    const watching = Array.fromAsync(client.watch(configMaps));
    await client.list(configMaps);
    await client[Symbol.asyncDispose]();
    await assert.rejects(watching, { code: 'ConnectionFailed' });
    await assert.rejects(client.list(configMaps), { code: 'ConnectionFailed' });
  });
});

describe('a watch in process', () => {
  /** The watch, once it has delivered its first event. */
  async function started(client: Client, options: WatchOptions): Promise<AsyncIterator<WatchEvent>> {
    const events = client.watch(configMaps, options)[Symbol.asyncIterator]();
    const { value } = (await events.next()) as { value: WatchEvent };
    assert.equal(value.type, 'ADDED');
    return events;
  }

  test('sends a bookmark every minute', async t => {
    await using plane = await startTestKernel();
    await using client = clientOf(plane);
    await plane.create('configmaps', configMap('a'));
    t.mock.timers.enable({ apis: ['setInterval'] });
    const fieldSelector = 'metadata.name=a';
    const events = await started(client, { fieldSelector });
    const next = events.next();
    await plane.create('configmaps', configMap('b'));
    await plane.settled();
    t.mock.timers.tick(60_000);
    const { value } = (await next) as { value: WatchEvent };
    const revision = String(await plane.store.currentRevision());
    const metadata = { resourceVersion: revision };
    assert.deepEqual(value, { type: 'BOOKMARK', object: { kind: 'ConfigMap', apiVersion: 'v1', metadata } });
    await events.return?.();
  });

  test('ends with its logical cluster', async () => {
    await using plane = await startTestKernel();
    await plane.create(logicalClusters, { metadata: { name: 'shop' } }, { cluster: 'platform' });
    await using client = clientOf(plane, { cluster: 'shop' });
    const watching = Array.fromAsync(client.watch({ ...configMaps, plural: 'secrets' }, { hasBookmarks: false }));
    await client.list(configMaps);
    await plane.delete(logicalClusters, 'shop', {}, { cluster: 'platform' });
    await watching;
  });

  test('sends a bookmark when its time limit expires', async () => {
    await using plane = await startTestKernel();
    await using client = clientOf(plane);
    await plane.create('configmaps', configMap('a'));
    const events = await started(client, { fieldSelector: 'metadata.name=a', timeoutSeconds: 1 });
    const rest = await Array.fromAsync({ [Symbol.asyncIterator]: () => events });
    assert.deepEqual(
      rest.map(({ type }) => type),
      ['BOOKMARK'],
    );
  });
});
