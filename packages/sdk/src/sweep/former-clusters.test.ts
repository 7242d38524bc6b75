import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { KubeObject } from '@chandlery/api';
import { accessRequests, clusterRequests, clusters, systemNamespace, tenantNamespace } from '@chandlery/clusters/kinds';
import { type AccessRecord, accessRecords } from '@chandlery/providers/kinds';
import { eventually } from '@chandlery/testing';
import { instanceNamespaceOf, sdkNames } from '../model/names.ts';
import { type FooFixture, fooRef, startFooFixture } from '../test-foo-fixture.ts';
import { fooProvider } from '../test-provider.ts';

const home = tenantNamespace('default', 'a');
const core = { group: '', version: 'v1' };
const namespaces = { ...core, plural: 'namespaces' };
const instance = instanceNamespaceOf('Foo', { namespace: 'default', name: 'a' });

const recordsOf = async ({ landscape: { platform } }: FooFixture): Promise<readonly AccessRecord[]> =>
  (await platform.list<AccessRecord>({ ...accessRecords.ref, namespace: systemNamespace })).items;

const namesOf = (objects: readonly KubeObject[]): readonly string[] =>
  objects.map(({ metadata }) => metadata.name ?? '').sort();

/** The objects of "a" on the workload cluster. */
const workloadOf = async ({ landscape: { workload } }: FooFixture): Promise<readonly string[]> =>
  namesOf((await workload.list(namespaces)).items).filter(name => name === instance);

/** The AccessRequests of the sweeper. */
const sweepsOf = async ({ landscape: { platform } }: FooFixture): Promise<readonly string[]> =>
  namesOf((await platform.list({ ...accessRequests.ref, namespace: systemNamespace })).items).filter(name =>
    name.endsWith('--sweep'),
  );

const becomesEmpty = (fixture: FooFixture): Promise<unknown> =>
  eventually(async () => {
    const left = [...(await workloadOf(fixture)), ...namesOf(await recordsOf(fixture)), ...(await sweepsOf(fixture))];
    assert.deepEqual(left, []);
    return true;
  });

/** Deletes what the deletion of a ControlPlane deletes in its namespace on the platform cluster. */
async function loseRequests({ landscape }: FooFixture): Promise<void> {
  const { platform } = landscape;
  await landscape.loseControlPlane('default', 'a');
  const { items } = await platform.list({ ...clusterRequests.ref, namespace: home });
  for (const { metadata } of items)
    await platform.delete({ ...clusterRequests.ref, namespace: home, name: metadata.name ?? '' });
}

async function removeByForce(fixture: FooFixture): Promise<void> {
  await fixture.patch('a', { metadata: { annotations: { 'openmcp.cloud/operation': 'ignore' } } });
  await fixture.landscape.onboarding.delete(fooRef('a'));
  await fixture.patch('a', { metadata: { finalizers: [] } }).catch(() => undefined);
  await fixture.gone('a');
}

/** A landscape in which "a" and all its requests were deleted while no provider ran. */
async function startWithoutRequests(policy: 'Delete' | 'Orphan' = 'Delete', define = fooProvider): Promise<FooFixture> {
  await using stack = new AsyncDisposableStack();
  const fixture = stack.use(await startFooFixture({ isStarted: false, define }));
  const running = await fixture.start();
  await fixture.create('a', { deletionPolicy: policy });
  await fixture.ready('a');
  await running[Symbol.asyncDispose]();
  await removeByForce(fixture);
  await loseRequests(fixture);
  assert.deepEqual(await workloadOf(fixture), [instance]);
  stack.move();
  return fixture;
}

describe('The clusters of an order', () => {
  it('are recorded before anything is created there, and dropped when it is removed', async () => {
    await using fixture = await startFooFixture();
    await fixture.create('a');
    await fixture.ready('a');
    const records = await recordsOf(fixture);
    assert.deepEqual(records.map(({ spec }) => `${spec.role} ${spec.cluster.name}`).sort(), [
      'mcp mcp-a',
      'workload workload',
    ]);
    for (const { spec, metadata } of records) {
      assert.deepEqual([spec.provider, spec.object], ['foo', { namespace: 'default', name: 'a' }]);
      assert.equal(metadata.annotations?.[sdkNames.policyAnnotation], 'Delete');
    }
    await fixture.patch('a', { spec: { deletionPolicy: 'Orphan' } });
    await eventually(async () =>
      (await recordsOf(fixture)).every(
        ({ metadata }) => metadata.annotations?.[sdkNames.policyAnnotation] === 'Orphan',
      ),
    );
    await fixture.patch('a', { spec: { deletionPolicy: 'Delete' } });
    await fixture.remove('a');
    await fixture.gone('a');
    await becomesEmpty(fixture);
  });

  it('are swept although no request leads there any more', async () => {
    await using fixture = await startWithoutRequests();
    assert.equal((await recordsOf(fixture)).length, 2);
    await fixture.start();
    await becomesEmpty(fixture);
    assert.deepEqual(await fixture.events('a').then(events => events.includes('SweptUp')), true);
  });

  it('are asked for access once, however long giving it back takes', async () => {
    await using fixture = await startWithoutRequests();
    const { platform } = fixture.landscape;
    const at = { ...accessRequests.ref, namespace: systemNamespace };
    const hold = (name: string, finalizers: string[]) =>
      platform.patch({ ...at, name }, { type: 'merge', body: { metadata: { finalizers } } });
    fixture.landscape.isGranting = false;
    await fixture.start();
    const names = await eventually(async () => (await sweepsOf(fixture)).length === 2 && sweepsOf(fixture));
    for (const name of names) await hold(name, ['test.example.org/hold']);
    fixture.landscape.isGranting = true;
    fixture.landscape.grantAll();
    for (const name of names)
      await eventually(async () => (await platform.get({ ...at, name })).metadata.deletionTimestamp !== undefined);
    const connections = fixture.landscape.connected.length;
    for (const name of names) await hold(name, []);
    await becomesEmpty(fixture);
    assert.equal(fixture.landscape.connected.length, connections, 'access that was given back is not requested again');
  });

  it('are swept when the requests of a running provider vanish first', async () => {
    await using fixture = await startFooFixture();
    await fixture.create('a');
    await fixture.ready('a');
    await fixture.patch('a', { metadata: { annotations: { 'openmcp.cloud/operation': 'ignore' } } });
    await fixture.says('a', 'Paused', 'PausedByUser');
    await loseRequests(fixture);
    await removeByForce(fixture);
    await becomesEmpty(fixture);
  });

  it('are swept where all orders share one cluster and there never was a request for the order', async () => {
    await using fixture = await startWithoutRequests('Delete', bank => ({
      ...fooProvider(bank),
      clusters: { workload: { ...everything, per: 'provider' } },
      service: { ...fooProvider(bank).service, desired: onlyNamespace },
      blockedBy: [],
    }));
    await fixture.start();
    await becomesEmpty(fixture);
  });

  it('wait for a decision when their content was to stay', async () => {
    await using fixture = await startWithoutRequests('Orphan');
    await fixture.start();
    const leftoverOf = async (): Promise<readonly (string | undefined)[]> =>
      (await recordsOf(fixture)).map(({ metadata }) => metadata.annotations?.[sdkNames.leftoverAnnotation]);
    await eventually(async () => (await leftoverOf()).every(text => /were to stay/.test(text ?? '')));
    assert.deepEqual(await workloadOf(fixture), [instance]);
    for (const { metadata } of await recordsOf(fixture)) {
      const at = { ...accessRecords.ref, namespace: systemNamespace, name: metadata.name ?? '' };
      const body = { metadata: { annotations: { [sdkNames.policyAnnotation]: 'Delete' } } };
      await fixture.landscape.platform.patch(at, { type: 'merge', body });
    }
    await becomesEmpty(fixture);
  });

  it('that are deleted hold nothing, and unreachable ones are reported', async () => {
    await using fixture = await startWithoutRequests();
    const { platform } = fixture.landscape;
    await platform.delete({ ...clusters.ref, namespace: systemNamespace, name: 'mcp-a' });
    fixture.landscape.isDenying = true;
    await fixture.start().catch(() => undefined);
    const left = await eventually(async () => {
      const [record, ...others] = await recordsOf(fixture);
      const text = record?.metadata.annotations?.[sdkNames.leftoverAnnotation] ?? '';
      return others.length === 0 && text !== '' && { text };
    });
    assert.match(left.text, /^Cluster openmcp-system\/workload cannot be reached.*denied: no such luck/);
    fixture.landscape.isDenying = false;
    fixture.landscape.grantAll();
    await becomesEmpty(fixture);
  });

  it('are left to a new order of the same name', async () => {
    await using fixture = await startWithoutRequests();
    await fixture.landscape.platform.delete({ ...namespaces, name: home });
    await eventually(() => fixture.landscape.createControlPlane('default', 'a', 'mcp-a').catch(() => false));
    await fixture.create('a');
    await fixture.start();
    await fixture.ready('a');
    assert.deepEqual(await workloadOf(fixture), [instance]);
    assert.deepEqual(await sweepsOf(fixture), []);
  });
});

const everything = { permissions: [{ rules: [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }] }] };

const onlyNamespace: ReturnType<typeof fooProvider>['service']['desired'] = (_, { instanceNamespace: name }) => [
  { cluster: 'workload', object: { apiVersion: 'v1', kind: 'Namespace', metadata: { name } } },
];
