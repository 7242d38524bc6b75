import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isError, type KubeObject } from '@chandlery/api';
import type { ResourceRef } from '@chandlery/client';
import { accessRequests, clusterRequests, systemNamespace, tenantNamespace } from '@chandlery/clusters/kinds';
import { accessRecords, retainedNames, retainedServices } from '@chandlery/providers/kinds';
import { eventually } from '@chandlery/testing';
import { instanceNamespaceOf, sdkNames } from '../model/names.ts';
import { type FooFixture, fooRef, startFooFixture } from '../test-foo-fixture.ts';

const namespaces = { group: '', version: 'v1', plural: 'namespaces' };
const instance = (name: string): string => instanceNamespaceOf('Foo', { namespace: 'default', name });
const controlPlanes = { a: 'mcp-a', b: 'mcp-b' };

/** Requests and records of a service object with their ownership labels, and its namespace on the workload cluster. */
async function stateOf({ landscape: { platform, workload } }: FooFixture, name: string): Promise<readonly string[]> {
  const list = async (ref: ResourceRef): Promise<readonly string[]> =>
    (await platform.list(ref)).items.filter(object => keyOf(object) === `default/${name}`).map(titleOf);
  const home = tenantNamespace('default', name);
  const found = await Promise.all([
    list({ ...accessRequests.ref, namespace: home }),
    list({ ...clusterRequests.ref, namespace: home }),
    list({ ...accessRecords.ref, namespace: systemNamespace }),
  ]);
  const served = await workload.get({ ...namespaces, name: instance(name) }).catch((error: unknown) => {
    if (!isError(error, 'NotFound')) throw error;
  });
  return [...found.flat(), ...(served === undefined ? [] : [titleOf(served)])].sort();
}

const keyOf = ({ metadata }: KubeObject): string | undefined => metadata.annotations?.[sdkNames.objectAnnotation];
const titleOf = ({ kind, metadata: { name, labels = {} } }: KubeObject): string =>
  `${kind} ${name} ${labels[retainedNames.handedOverLabel] === 'true' ? 'handed over' : 'of an order'}`;

const becomes = (fixture: FooFixture, name: string, wanted: readonly string[]): Promise<unknown> =>
  eventually(async () => {
    assert.deepEqual(await stateOf(fixture, name), wanted);
    return true;
  });

const retained = [
  'AccessRequest foo--a--mcp handed over',
  'AccessRequest foo--a--wl handed over',
  'ClusterRequest foo--a--wl handed over',
  `Namespace ${instance('a')} handed over`,
];

/** Releases "a", with "b" beside it. */
async function startWithRetained(fixture: FooFixture): Promise<AsyncDisposable> {
  const running = await fixture.start();
  for (const [name, deletionPolicy] of [
    ['a', 'Orphan'],
    ['b', 'Delete'],
  ] as const) {
    await fixture.create(name, { deletionPolicy });
    await fixture.ready(name);
  }
  await fixture.remove('a');
  await fixture.gone('a');
  await becomes(fixture, 'a', retained);
  return running;
}

async function removeByForce(fixture: FooFixture, name: string): Promise<void> {
  await fixture.patch(name, { metadata: { annotations: { 'openmcp.cloud/operation': 'ignore' } } });
  await fixture.landscape.onboarding.delete(fooRef(name));
  await fixture.patch(name, { metadata: { finalizers: [] } }).catch(() => undefined);
  await fixture.gone(name);
}

describe('The sweep beside services that were let go', () => {
  it('takes away what vanished orders left, and never what was handed over', async () => {
    await using fixture = await startFooFixture({ isStarted: false, controlPlanes });
    const running = await startWithRetained(fixture);
    await running[Symbol.asyncDispose]();
    await removeByForce(fixture, 'b');
    const again = await fixture.start();
    await becomes(fixture, 'b', []);
    assert.deepEqual(await stateOf(fixture, 'a'), retained);
    await again[Symbol.asyncDispose]();
  });

  it('does not touch it when even the RetainedService is deleted: its requests name their owner', async () => {
    await using fixture = await startFooFixture({ isStarted: false, controlPlanes });
    const running = await startWithRetained(fixture);
    await running[Symbol.asyncDispose]();
    const at = { ...retainedServices.ref, namespace: 'default', name: 'foo-a' };
    await fixture.landscape.onboarding.delete(at);
    await fixture.landscape.onboarding.patch(at, { type: 'merge', body: { metadata: { finalizers: [] } } });
    await removeByForce(fixture, 'b');
    await fixture.start();
    await becomes(fixture, 'b', []);
    assert.deepEqual(await stateOf(fixture, 'a'), retained);
  });
});
