import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isError, type KubeObject } from '@chandlery/api';
import type { ResourceRef } from '@chandlery/client';
import { accessRequests, clusterRequests, systemNamespace, tenantNamespace } from '@chandlery/clusters/kinds';
import { accessRecords, retainedNames, retainedServices } from '@chandlery/providers/kinds';
import { eventually } from '@chandlery/testing';
import { instanceNamespaceOf, sdkNames } from '../model/names.ts';
import { type FooWorld, fooRef, startFooWorld } from '../test-foo-world.ts';

const namespaces = { group: '', version: 'v1', plural: 'namespaces' };
const instance = (name: string): string => instanceNamespaceOf('Foo', { namespace: 'default', name });
const controlPlanes = { a: 'mcp-a', b: 'mcp-b' };

/** Requests and records of an order, with what says whose they are, and its namespace on the workload cluster. */
async function stateOf({ landscape: { platform, workload } }: FooWorld, name: string): Promise<readonly string[]> {
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

const becomes = (world: FooWorld, name: string, wanted: readonly string[]): Promise<unknown> =>
  eventually(async () => {
    assert.deepEqual(await stateOf(world, name), wanted);
    return true;
  });

const retained = [
  'AccessRequest foo--a--mcp handed over',
  'AccessRequest foo--a--wl handed over',
  'ClusterRequest foo--a--wl handed over',
  `Namespace ${instance('a')} handed over`,
];

/** Lets "a" go, and has "b" beside it. */
async function startWithRetained(world: FooWorld): Promise<AsyncDisposable> {
  const running = await world.start();
  for (const [name, deletionPolicy] of [
    ['a', 'Orphan'],
    ['b', 'Delete'],
  ] as const) {
    await world.create(name, { deletionPolicy });
    await world.ready(name);
  }
  await world.remove('a');
  await world.gone('a');
  await becomes(world, 'a', retained);
  return running;
}

async function removeByForce(world: FooWorld, name: string): Promise<void> {
  await world.patch(name, { metadata: { annotations: { 'openmcp.cloud/operation': 'ignore' } } });
  await world.landscape.onboarding.delete(fooRef(name));
  await world.patch(name, { metadata: { finalizers: [] } }).catch(() => undefined);
  await world.gone(name);
}

describe('The sweep beside services that were let go', () => {
  it('takes away what vanished orders left, and never what was handed over', async () => {
    await using world = await startFooWorld({ isStarted: false, controlPlanes });
    const running = await startWithRetained(world);
    await running[Symbol.asyncDispose]();
    await removeByForce(world, 'b');
    const again = await world.start();
    await becomes(world, 'b', []);
    assert.deepEqual(await stateOf(world, 'a'), retained);
    await again[Symbol.asyncDispose]();
  });

  it('does not touch it when even the RetainedService is gone: its requests say whose they are', async () => {
    await using world = await startFooWorld({ isStarted: false, controlPlanes });
    const running = await startWithRetained(world);
    await running[Symbol.asyncDispose]();
    const at = { ...retainedServices.ref, namespace: 'default', name: 'foo-a' };
    await world.landscape.onboarding.delete(at);
    await world.landscape.onboarding.patch(at, { type: 'merge', body: { metadata: { finalizers: [] } } });
    await removeByForce(world, 'b');
    await world.start();
    await becomes(world, 'b', []);
    assert.deepEqual(await stateOf(world, 'a'), retained);
  });
});
