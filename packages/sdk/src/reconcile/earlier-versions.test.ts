import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonObject } from '@chandlery/api';
import type { ResourceRef } from '@chandlery/client';
import { accessRequests, clusterRequests, systemNamespace, tenantNamespace } from '@chandlery/clusters/kinds';
import { accessRecords, retainedServices } from '@chandlery/providers/kinds';
import { eventually } from '@chandlery/testing';
import { instanceIdOf, instanceNamespaceOf, sdkNames } from '../model/names.ts';
import { type FooWorld, startFooWorld } from '../test-foo-world.ts';

const identity = { namespace: 'default', name: 'a' };
const home = tenantNamespace('default', 'a');
const configMaps = { group: '', version: 'v1', plural: 'configmaps' };
const foo = { ...configMaps, namespace: instanceNamespaceOf('Foo', identity), name: 'foo' };

const requests = [
  { ...accessRequests.ref, namespace: home },
  { ...clusterRequests.ref, namespace: home },
] as const;

const records = { ...accessRecords.ref, namespace: systemNamespace };

async function eachOf(world: FooWorld, ref: ResourceRef, act: (name: string) => Promise<unknown>): Promise<void> {
  const { items } = await world.landscape.platform.list(ref);
  for (const { metadata } of items) if (metadata.name !== 'a') await act(metadata.name ?? '');
}

/** Makes of an order's requests what earlier versions wrote: no policy, and no records. */
async function writeAsBefore(world: FooWorld): Promise<void> {
  const { platform } = world.landscape;
  await eachOf(world, records, name => platform.delete({ ...records, name }));
  const body: JsonObject = { metadata: { annotations: { [sdkNames.policyAnnotation]: null } } };
  for (const ref of requests)
    await eachOf(world, ref, name => platform.patch({ ...ref, name }, { type: 'merge', body }));
}

/** A world that an earlier version has left: "a" is served, or let go with a receipt and nothing else. */
async function startAsBefore(policy: 'Delete' | 'Orphan' = 'Delete'): Promise<FooWorld> {
  await using stack = new AsyncDisposableStack();
  const world = stack.use(await startFooWorld({ isStarted: false }));
  const running = await world.start();
  await world.create('a', { deletionPolicy: policy });
  await world.ready('a');
  if (policy === 'Orphan') {
    await world.remove('a');
    await world.gone('a');
  }
  await running[Symbol.asyncDispose]();
  await writeAsBefore(world);
  stack.move();
  return world;
}

describe('What an earlier version of a provider has left', () => {
  it('is served on: an order gets its records, changes, and goes without a trace', async () => {
    await using world = await startAsBefore();
    await world.start();
    await eventually(async () => (await world.landscape.platform.list(records)).items.length === 2);
    await world.patch('a', { spec: { version: '1.1' } });
    await world.ready('a');
    await world.remove('a');
    await world.gone('a');
    for (const ref of [...requests, records]) await eachOf(world, ref, name => assert.fail(`${ref.plural} ${name}`));
    assert.deepEqual(world.bank.deeds, [`create ${instanceIdOf(identity)}`, `delete ${instanceIdOf(identity)}`]);
  });

  it('goes without a trace when the order was deleted before the new version ran', async () => {
    await using world = await startAsBefore();
    await world.remove('a');
    await world.start();
    await world.gone('a');
    for (const ref of [...requests, records]) await eachOf(world, ref, name => assert.fail(`${ref.plural} ${name}`));
  });

  it('is adopted when it had been let go with a receipt alone, and then held by a RetainedService', async () => {
    await using world = await startAsBefore('Orphan');
    const { platform, onboarding, workload } = world.landscape;
    for (const ref of requests) await eachOf(world, ref, name => platform.delete({ ...ref, name }));
    const receipt = { ...configMaps, namespace: 'default', name: 'foo-a-receipt' };
    await onboarding.patch(receipt, { type: 'merge', body: { metadata: { ownerReferences: null } } });
    const retained = { ...retainedServices.ref, namespace: 'default', name: 'foo-a' };
    await onboarding.patch(retained, { type: 'merge', body: { metadata: { finalizers: [] } } });
    await onboarding.delete(retained);
    const { uid } = (await workload.get(foo)).metadata;
    await world.start();
    await world.create('a', { deletionPolicy: 'Orphan' });
    await world.ready('a');
    assert.equal((await workload.get(foo)).metadata.uid, uid, 'the very object goes on');
    await eventually(async () => (await world.events('a')).includes('Adopted'));
    await world.remove('a');
    await world.gone('a');
    assert.equal((await workload.get(foo)).metadata.uid, uid);
    assert.equal((await onboarding.get(retained)).metadata.name, 'foo-a');
  });
});
