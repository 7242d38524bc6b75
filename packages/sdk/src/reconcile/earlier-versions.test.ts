import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonObject } from '@chandlery/api';
import type { ResourceRef } from '@chandlery/client';
import { accessRequests, clusterRequests, systemNamespace, tenantNamespace } from '@chandlery/clusters/kinds';
import { accessRecords, retainedServices } from '@chandlery/providers/kinds';
import { eventually } from '@chandlery/testing';
import { instanceIdOf, instanceNamespaceOf, sdkNames } from '../model/names.ts';
import { type FooFixture, startFooFixture } from '../test-foo-fixture.ts';

const identity = { namespace: 'default', name: 'a' };
const home = tenantNamespace('default', 'a');
const configMaps = { group: '', version: 'v1', plural: 'configmaps' };
const foo = { ...configMaps, namespace: instanceNamespaceOf('Foo', identity), name: 'foo' };

const requests = [
  { ...accessRequests.ref, namespace: home },
  { ...clusterRequests.ref, namespace: home },
] as const;

const records = { ...accessRecords.ref, namespace: systemNamespace };

async function eachOf(fixture: FooFixture, ref: ResourceRef, act: (name: string) => Promise<unknown>): Promise<void> {
  const { items } = await fixture.landscape.platform.list(ref);
  for (const { metadata } of items) if (metadata.name !== 'a') await act(metadata.name ?? '');
}

/** Rewrites the requests of an object as earlier versions wrote them: no policy, and no records. */
async function writeAsBefore(fixture: FooFixture): Promise<void> {
  const { platform } = fixture.landscape;
  await eachOf(fixture, records, name => platform.delete({ ...records, name }));
  const body: JsonObject = { metadata: { annotations: { [sdkNames.policyAnnotation]: null } } };
  for (const ref of requests)
    await eachOf(fixture, ref, name => platform.patch({ ...ref, name }, { type: 'merge', body }));
}

/** A landscape as an earlier version left it: "a" is served, or released with only a receipt. */
async function startAsBefore(policy: 'Delete' | 'Orphan' = 'Delete'): Promise<FooFixture> {
  await using stack = new AsyncDisposableStack();
  const fixture = stack.use(await startFooFixture({ isStarted: false }));
  const running = await fixture.start();
  await fixture.create('a', { deletionPolicy: policy });
  await fixture.ready('a');
  if (policy === 'Orphan') {
    await fixture.remove('a');
    await fixture.gone('a');
  }
  await running[Symbol.asyncDispose]();
  await writeAsBefore(fixture);
  stack.move();
  return fixture;
}

describe('What an earlier version of a provider has left', () => {
  it('is served on: an order gets its records, changes, and goes without a trace', async () => {
    await using fixture = await startAsBefore();
    await fixture.start();
    await eventually(async () => (await fixture.landscape.platform.list(records)).items.length === 2);
    await fixture.patch('a', { spec: { version: '1.1' } });
    await fixture.ready('a');
    await fixture.remove('a');
    await fixture.gone('a');
    for (const ref of [...requests, records]) await eachOf(fixture, ref, name => assert.fail(`${ref.plural} ${name}`));
    assert.deepEqual(fixture.bank.deeds, [`create ${instanceIdOf(identity)}`, `delete ${instanceIdOf(identity)}`]);
  });

  it('goes without a trace when the order was deleted before the new version ran', async () => {
    await using fixture = await startAsBefore();
    await fixture.remove('a');
    await fixture.start();
    await fixture.gone('a');
    for (const ref of [...requests, records]) await eachOf(fixture, ref, name => assert.fail(`${ref.plural} ${name}`));
  });

  it('is adopted when it had been let go with a receipt alone, and then held by a RetainedService', async () => {
    await using fixture = await startAsBefore('Orphan');
    const { platform, onboarding, workload } = fixture.landscape;
    for (const ref of requests) await eachOf(fixture, ref, name => platform.delete({ ...ref, name }));
    const receipt = { ...configMaps, namespace: 'default', name: 'foo-a-receipt' };
    await onboarding.patch(receipt, { type: 'merge', body: { metadata: { ownerReferences: null } } });
    const retained = { ...retainedServices.ref, namespace: 'default', name: 'foo-a' };
    await onboarding.patch(retained, { type: 'merge', body: { metadata: { finalizers: [] } } });
    await onboarding.delete(retained);
    const { uid } = (await workload.get(foo)).metadata;
    await fixture.start();
    await fixture.create('a', { deletionPolicy: 'Orphan' });
    await fixture.ready('a');
    assert.equal((await workload.get(foo)).metadata.uid, uid, 'the same object stays');
    await eventually(async () => (await fixture.events('a')).includes('Adopted'));
    await fixture.remove('a');
    await fixture.gone('a');
    assert.equal((await workload.get(foo)).metadata.uid, uid);
    assert.equal((await onboarding.get(retained)).metadata.name, 'foo-a');
  });
});
