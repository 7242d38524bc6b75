import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { InternalObjects } from '@chandlery/brokers/kinds';
import { eventually } from '@chandlery/testing';
import { boats, type OfferingsFixture, startOfferings } from './test-offerings.ts';

const plans = JSON.stringify([
  { name: 'small', spec: { crew: 2 } },
  { name: 'large', spec: { crew: 9, paint: { hull: 'gold' } } },
]);

describe('An object that a tenant has made', () => {
  let fixture: OfferingsFixture;
  let objects: InternalObjects;
  let stop: () => void;
  const seen = new Set<string>();
  const completed = new Set<string>();

  before(async () => {
    fixture = await startOfferings({ 'openmcp.cloud/plans': plans });
    objects = fixture.broker.objects ?? assert.fail();
    stop = objects.listen({ changed: id => seen.add(id), completed: id => completed.add(id) });
    await eventually(() => completed.size === 1, { what: 'the objects are known' });
  });
  after(async () => {
    stop();
    await fixture[Symbol.asyncDispose]();
  });

  const at = (name: string) => ({ ...boats.ref, namespace: 'default', name });
  const makeBoat = async (name: string, spec: { rig: string; crew: number }, more = {}) => {
    const object = boats.object({ name, namespace: 'default', ...more }, spec);
    const { metadata } = await fixture.onboarding.create({ ...boats.ref, namespace: 'default' }, object);
    const { uid = '' } = metadata;
    await eventually(() => seen.has(uid), { what: `${name} is known` });
    return uid;
  };

  it('is an instance with its uid as id, in the tenant and with the plan that its spec says', async () => {
    const id = await makeBoat('own', { rig: 'sloop', crew: 2 });
    const object = (await objects.get(id)) ?? assert.fail();
    const [service] = await fixture.broker.catalog();
    assert.deepEqual(
      [object.name, object.tenant, object.isProvisioned, object.isDeleting],
      ['own', 'default', false, false],
    );
    assert.equal(object.planId, service?.plans[0]?.id);
    assert.equal(object.progress.state, 'in progress');
    assert.equal(objects.isComplete(object.serviceId), true);
    assert.equal(objects.isComplete('another'), false);
  });

  it('can be changed and deleted as what was ordered', async () => {
    const id = await makeBoat('changed', { rig: 'sloop', crew: 2 });
    await objects.get(id);
    const [service] = await fixture.broker.catalog();
    const large = service?.plans[1]?.id ?? '';
    await fixture.broker.update(fixture.instance(id), { planId: large, parameters: { rig: 'ketch' } });
    const { metadata, ...rest } = await fixture.onboarding.get(at('changed'));
    assert.deepEqual(rest['spec'], { rig: 'ketch', crew: 9, paint: { hull: 'gold' } });
    assert.deepEqual(metadata.annotations ?? {}, {});
    assert.equal((await objects.get(id))?.planId, large);
    assert.deepEqual(await fixture.broker.deprovision(id), { state: 'done' });
    await eventually(async () => (await objects.get(id)) === undefined);
    assert.deepEqual(await fixture.broker.progress(id), { state: 'gone' });
  });

  it('is found again when its labels were removed, and a copy of them makes no other object the instance', async () => {
    const id = await makeBoat('labelled', { rig: 'sloop', crew: 2 });
    await objects.get(id);
    const { labels = {} } = (await fixture.onboarding.get(at('labelled'))).metadata;
    const copy = await makeBoat('copy', { rig: 'sloop', crew: 3 }, { labels });
    await objects.get(copy);
    assert.deepEqual(await fixture.broker.parameters(id), { rig: 'sloop', crew: 2 });
    assert.deepEqual(await fixture.broker.parameters(copy), { rig: 'sloop', crew: 3 });
    const removed = Object.fromEntries(Object.keys(labels).map(label => [label, null]));
    await fixture.onboarding.patch(at('labelled'), { type: 'merge', body: { metadata: { labels: removed } } });
    await objects.get(id);
    assert.deepEqual(await fixture.broker.parameters(id), { rig: 'sloop', crew: 2 });
  });

  it('is not confused with one that was ordered', async () => {
    await fixture.broker.provision(fixture.instance('ordered'));
    await eventually(() => seen.has('ordered'));
    assert.equal((await objects.get('ordered'))?.isProvisioned, true);
  });
});
