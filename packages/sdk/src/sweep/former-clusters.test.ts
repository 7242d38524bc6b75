import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { KubeObject } from '@chandlery/api';
import { accessRequests, clusterRequests, clusters, systemNamespace, tenantNamespace } from '@chandlery/clusters/kinds';
import { type AccessRecord, accessRecords } from '@chandlery/providers/kinds';
import { eventually } from '@chandlery/testing';
import { instanceNamespaceOf, sdkNames } from '../model/names.ts';
import { type FooWorld, fooRef, startFooWorld } from '../test-foo-world.ts';
import { fooProvider } from '../test-provider.ts';

const home = tenantNamespace('default', 'a');
const core = { group: '', version: 'v1' };
const namespaces = { ...core, plural: 'namespaces' };
const instance = instanceNamespaceOf('Foo', { namespace: 'default', name: 'a' });

const recordsOf = async ({ landscape: { platform } }: FooWorld): Promise<readonly AccessRecord[]> =>
  (await platform.list<AccessRecord>({ ...accessRecords.ref, namespace: systemNamespace })).items;

const namesOf = (objects: readonly KubeObject[]): readonly string[] =>
  objects.map(({ metadata }) => metadata.name ?? '').sort();

/** What the order "a" has on the workload cluster. */
const workloadOf = async ({ landscape: { workload } }: FooWorld): Promise<readonly string[]> =>
  namesOf((await workload.list(namespaces)).items).filter(name => name === instance);

/** Requests that sweeps have made. */
const sweepsOf = async ({ landscape: { platform } }: FooWorld): Promise<readonly string[]> =>
  namesOf((await platform.list({ ...accessRequests.ref, namespace: systemNamespace })).items).filter(name =>
    name.endsWith('--sweep'),
  );

const becomesEmpty = (world: FooWorld): Promise<unknown> =>
  eventually(async () => {
    const left = [...(await workloadOf(world)), ...namesOf(await recordsOf(world)), ...(await sweepsOf(world))];
    assert.deepEqual(left, []);
    return true;
  });

/** What the deletion of a ControlPlane does to whatever is in its namespace on the platform cluster. */
async function loseRequests({ landscape }: FooWorld): Promise<void> {
  const { platform } = landscape;
  await landscape.loseControlPlane('default', 'a');
  const { items } = await platform.list({ ...clusterRequests.ref, namespace: home });
  for (const { metadata } of items)
    await platform.delete({ ...clusterRequests.ref, namespace: home, name: metadata.name ?? '' });
}

async function removeByForce(world: FooWorld): Promise<void> {
  await world.patch('a', { metadata: { annotations: { 'openmcp.cloud/operation': 'ignore' } } });
  await world.landscape.onboarding.delete(fooRef('a'));
  await world.patch('a', { metadata: { finalizers: [] } }).catch(() => undefined);
  await world.gone('a');
}

/** A world in which "a" and all its requests went while no provider ran. */
async function startWithoutRequests(policy: 'Delete' | 'Orphan' = 'Delete', define = fooProvider): Promise<FooWorld> {
  await using stack = new AsyncDisposableStack();
  const world = stack.use(await startFooWorld({ isStarted: false, define }));
  const running = await world.start();
  await world.create('a', { deletionPolicy: policy });
  await world.ready('a');
  await running[Symbol.asyncDispose]();
  await removeByForce(world);
  await loseRequests(world);
  assert.deepEqual(await workloadOf(world), [instance]);
  stack.move();
  return world;
}

describe('The clusters of an order', () => {
  it('are recorded before anything is made there, and forgotten when it is gone', async () => {
    await using world = await startFooWorld();
    await world.create('a');
    await world.ready('a');
    const records = await recordsOf(world);
    assert.deepEqual(records.map(({ spec }) => `${spec.role} ${spec.cluster.name}`).sort(), [
      'mcp mcp-a',
      'workload workload',
    ]);
    for (const { spec, metadata } of records) {
      assert.deepEqual([spec.provider, spec.object], ['foo', { namespace: 'default', name: 'a' }]);
      assert.equal(metadata.annotations?.[sdkNames.policyAnnotation], 'Delete');
    }
    await world.patch('a', { spec: { deletionPolicy: 'Orphan' } });
    await eventually(async () =>
      (await recordsOf(world)).every(({ metadata }) => metadata.annotations?.[sdkNames.policyAnnotation] === 'Orphan'),
    );
    await world.patch('a', { spec: { deletionPolicy: 'Delete' } });
    await world.remove('a');
    await world.gone('a');
    await becomesEmpty(world);
  });

  it('are swept although no request leads there any more', async () => {
    await using world = await startWithoutRequests();
    assert.equal((await recordsOf(world)).length, 2);
    await world.start();
    await becomesEmpty(world);
    assert.deepEqual(await world.events('a').then(events => events.includes('SweptUp')), true);
  });

  it('are asked for access once, however long giving it back takes', async () => {
    await using world = await startWithoutRequests();
    const { platform } = world.landscape;
    const at = { ...accessRequests.ref, namespace: systemNamespace };
    const hold = (name: string, finalizers: string[]) =>
      platform.patch({ ...at, name }, { type: 'merge', body: { metadata: { finalizers } } });
    world.landscape.isGranting = false;
    await world.start();
    const names = await eventually(async () => (await sweepsOf(world)).length === 2 && sweepsOf(world));
    for (const name of names) await hold(name, ['test.example.org/hold']);
    world.landscape.isGranting = true;
    world.landscape.grantAll();
    for (const name of names)
      await eventually(async () => (await platform.get({ ...at, name })).metadata.deletionTimestamp !== undefined);
    const connections = world.landscape.connected.length;
    for (const name of names) await hold(name, []);
    await becomesEmpty(world);
    assert.equal(world.landscape.connected.length, connections, 'nobody asks again for what is given back');
  });

  it('are swept when the requests of a running provider vanish first', async () => {
    await using world = await startFooWorld();
    await world.create('a');
    await world.ready('a');
    await world.patch('a', { metadata: { annotations: { 'openmcp.cloud/operation': 'ignore' } } });
    await world.says('a', 'Paused', 'PausedByUser');
    await loseRequests(world);
    await removeByForce(world);
    await becomesEmpty(world);
  });

  it('are swept where all orders share one cluster and there never was a request for the order', async () => {
    await using world = await startWithoutRequests('Delete', bank => ({
      ...fooProvider(bank),
      clusters: { workload: { ...everything, per: 'provider' } },
      service: { ...fooProvider(bank).service, desired: onlyNamespace },
      blockedBy: [],
    }));
    await world.start();
    await becomesEmpty(world);
  });

  it('wait for somebody to decide when what is there was to stay', async () => {
    await using world = await startWithoutRequests('Orphan');
    await world.start();
    const leftoverOf = async (): Promise<readonly (string | undefined)[]> =>
      (await recordsOf(world)).map(({ metadata }) => metadata.annotations?.[sdkNames.leftoverAnnotation]);
    await eventually(async () => (await leftoverOf()).every(text => /were to stay/.test(text ?? '')));
    assert.deepEqual(await workloadOf(world), [instance]);
    for (const { metadata } of await recordsOf(world)) {
      const at = { ...accessRecords.ref, namespace: systemNamespace, name: metadata.name ?? '' };
      const body = { metadata: { annotations: { [sdkNames.policyAnnotation]: 'Delete' } } };
      await world.landscape.platform.patch(at, { type: 'merge', body });
    }
    await becomesEmpty(world);
  });

  it('that are gone hold nothing, and those out of reach are told of', async () => {
    await using world = await startWithoutRequests();
    const { platform } = world.landscape;
    await platform.delete({ ...clusters.ref, namespace: systemNamespace, name: 'mcp-a' });
    world.landscape.isDenying = true;
    await world.start().catch(() => undefined);
    const left = await eventually(async () => {
      const [record, ...others] = await recordsOf(world);
      const text = record?.metadata.annotations?.[sdkNames.leftoverAnnotation] ?? '';
      return others.length === 0 && text !== '' && { text };
    });
    assert.match(left.text, /^Cluster openmcp-system\/workload cannot be reached.*denied: no such luck/);
    world.landscape.isDenying = false;
    world.landscape.grantAll();
    await becomesEmpty(world);
  });

  it('are left to a new order of the same name', async () => {
    await using world = await startWithoutRequests();
    await world.landscape.platform.delete({ ...namespaces, name: home });
    await eventually(() => world.landscape.createControlPlane('default', 'a', 'mcp-a').catch(() => false));
    await world.create('a');
    await world.start();
    await world.ready('a');
    assert.deepEqual(await workloadOf(world), [instance]);
    assert.deepEqual(await sweepsOf(world), []);
  });
});

const everything = { permissions: [{ rules: [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }] }] };

const onlyNamespace: ReturnType<typeof fooProvider>['service']['desired'] = (_, { instanceNamespace: name }) => [
  { cluster: 'workload', object: { apiVersion: 'v1', kind: 'Namespace', metadata: { name } } },
];
