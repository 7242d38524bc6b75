import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { isGone } from '../../controllers/tenants/test-landscape.ts';
import { objectNameOf, offerNames } from '../../model/offerings/offer-names.ts';
import {
  boats,
  type OfferingsFixture,
  ownNamespace,
  rejection,
  secretOf,
  secrets,
  startOfferings,
} from './test-offerings.ts';

const namespaces = { group: '', version: 'v1', plural: 'namespaces' };

describe('An instance of a service that a provider offers', () => {
  let fixture: OfferingsFixture;
  before(async () => {
    fixture = await startOfferings();
  });
  after(() => fixture[Symbol.asyncDispose]());

  it('is an object of the kind, in a namespace of the platform', async () => {
    const { broker, instance, boat, onboarding } = fixture;
    assert.deepEqual(await broker.progress('a'), { state: 'gone' });
    assert.equal(await broker.parameters('a'), undefined);
    assert.deepEqual(await broker.provision(instance('a')), { state: 'in progress' });
    const made = await boat('a');
    assert.deepEqual(made['spec'], { rig: 'sloop', crew: 1 });
    assert.equal(made.metadata.annotations?.[offerNames.instanceAnnotation], 'a');
    assert.ok(await onboarding.get({ ...namespaces, name: ownNamespace }));
    assert.deepEqual(await broker.parameters('a'), { rig: 'sloop', crew: 1 });
  });

  it('is made once, however often it is asked for', async () => {
    const { broker, instance, boat } = fixture;
    await Promise.all([1, 2, 3].map(() => broker.provision(instance('b'))));
    const { uid, generation } = (await boat('b')).metadata;
    assert.deepEqual(await broker.provision(instance('b', { rig: 'sloop', crew: null })), { state: 'in progress' });
    await fixture.report('b');
    assert.deepEqual(await broker.provision(instance('b')), { state: 'done' });
    const again = (await boat('b')).metadata;
    assert.deepEqual([again.uid, again.generation], [uid, generation]);
  });

  it('is refused when there is another of its id', async () => {
    const { broker, instance } = fixture;
    await broker.provision(instance('c'));
    const others = [
      { why: 'other parameters', other: instance('c', { rig: 'ketch' }) },
      { why: 'another plan', other: instance('c', { rig: 'sloop' }, { planId: 'x' }) },
      { why: 'another service', other: instance('c', { rig: 'sloop' }, { serviceId: 'x' }) },
      {
        why: 'another platform',
        other: instance('c', undefined, { caller: { tenant: 'service-manager', platformId: 'cf', context: {} } }),
      },
    ];
    for (const { why, other } of others) assert.equal((await rejection(broker.provision(other))).code, 'Conflict', why);
  });

  it('lives with the tenant of the platform, if it has one', async () => {
    const { broker, instance, boat, onboarding } = fixture;
    const caller = { tenant: 'project-sea', platformId: 'k8s', context: {} };
    const early = await rejection(broker.provision(instance('d', undefined, { caller })));
    assert.deepEqual(early, { code: 'BadRequest', message: 'there is no namespace "project-sea"' });
    await onboarding.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'project-sea' } });
    await broker.provision(instance('d', undefined, { caller }));
    assert.ok(await boat('d', 'project-sea'));
    assert.equal((await broker.progress('d')).state, 'in progress');
    assert.deepEqual(await broker.deprovision('d'), { state: 'done' });
  });

  it('lives in a namespace with a name of its own when the id of the platform is none', async () => {
    const { broker, instance, onboarding } = fixture;
    const context = { instance_name: 'ferry' };
    const caller = { tenant: 'service-manager', platformId: 'Cloud Foundry/eu', context };
    await broker.provision(instance('e', undefined, { caller }));
    const { items } = await onboarding.list(boats.ref);
    const object = items.find(({ metadata }) => metadata.name === objectNameOf('e'));
    assert.match(object?.metadata.namespace ?? '', /^osb-[0-9a-f]{40}$/);
    assert.equal(object?.metadata.annotations?.['openmcp.cloud/display-name'], 'ferry', 'people know it by this name');
  });

  const wrong = [
    { why: 'is missing', parameters: {}, message: /^parameters\.rig is missing$/ },
    { why: 'is of the wrong type', parameters: { rig: 7 }, message: /^parameters\.rig is refused: .*string/ },
    { why: 'is too small', parameters: { rig: 'sloop', crew: 0 }, message: /^parameters\.crew is refused: .*1/ },
    { why: 'is unknown', parameters: { rig: 'sloop', mast: 1 }, message: /^there is no parameters\.mast$/ },
    {
      why: 'is misspelt',
      parameters: { rgi: 'sloop' },
      message: /^there is no parameters\.rgi; did you mean "rig"\?$/,
    },
    {
      why: 'is unknown further down',
      parameters: { rig: 'sloop', paint: { hull: 'red', keel: 'blue' } },
      message: /^there is no parameters\.paint\.keel$/,
    },
    {
      why: 'is secret',
      parameters: { rig: 'sloop', secretName: 'Hunter2: "x"' },
      message: /^parameters\.secretName is refused: (?!.*Hunter2)/,
    },
  ];
  for (const { why, parameters, message } of wrong)
    it(`is refused when a parameter ${why}, and the refusal names it`, async () => {
      const { broker, instance } = fixture;
      const { code, message: text } = await rejection(broker.provision(instance('wrong', parameters)));
      assert.equal(code, 'BadRequest');
      assert.match(text, message);
      assert.deepEqual(await broker.progress('wrong'), { state: 'gone' });
    });

  it('is refused when its service or plan is not offered', async () => {
    const { broker, instance } = fixture;
    for (const more of [{ serviceId: 'x' }, { planId: 'x' }])
      assert.equal((await rejection(broker.provision(instance('f', undefined, more)))).code, 'BadRequest');
  });

  it('has the progress of its conditions for the latest generation', async () => {
    const { broker, instance, report } = fixture;
    await broker.provision(instance('g'));
    assert.equal((await broker.progress('g')).state, 'in progress');
    await report('g', 'False', 'Reconciling');
    assert.deepEqual(await broker.progress('g'), { state: 'in progress', description: 'it says Reconciling' });
    await report('g', 'False', 'UserError');
    assert.deepEqual(await broker.progress('g'), { state: 'failed', description: 'it says UserError' });
    await report('g');
    assert.deepEqual(await broker.progress('g'), { state: 'succeeded' });
    assert.deepEqual(await broker.update(instance('g'), { parameters: { crew: 2 } }), { state: 'in progress' });
    assert.equal((await broker.progress('g')).state, 'in progress');
    await report('g');
    assert.deepEqual(await broker.progress('g'), { state: 'succeeded' });
  });

  it('keeps what an update does not name, and what others have set', async () => {
    const { broker, instance, boat, onboarding, report } = fixture;
    await broker.provision(instance('h', { rig: 'sloop', crew: 3, paint: { hull: 'red' } }));
    const ref = { ...boats.ref, namespace: ownNamespace, name: objectNameOf('h') };
    await onboarding.patch(ref, { type: 'merge', body: { spec: { paint: { deck: 'white' } } } });
    await broker.update(instance('h'), { parameters: { crew: null, paint: { hull: 'blue' } } });
    const after = await boat('h');
    assert.deepEqual(after['spec'], { rig: 'sloop', crew: 1, paint: { hull: 'blue', deck: 'white' } });
    await report('h');
    assert.deepEqual(await broker.update(instance('h'), { parameters: { paint: { hull: 'blue' } } }), {
      state: 'done',
    });
    assert.deepEqual(await broker.update(instance('h'), {}), { state: 'done' });
    assert.equal((await boat('h')).metadata.generation, after.metadata.generation);
  });

  it('says how a change or an end would go without doing it', async () => {
    const { broker, instance, boat, onboarding, report } = fixture;
    const isDryRun = true;
    await broker.provision(instance('dry', { rig: 'sloop', crew: 3 }));
    await report('dry');
    const before = await boat('dry');
    assert.deepEqual(await broker.update(instance('dry'), { parameters: { crew: 4 } }, { isDryRun }), {
      state: 'in progress',
    });
    assert.deepEqual(await broker.update(instance('dry'), {}, { isDryRun }), { state: 'done' });
    assert.deepEqual(await broker.deprovision('dry', { isDryRun }), { state: 'done' });
    assert.deepEqual(await boat('dry'), before);
    const ref = { ...boats.ref, namespace: ownNamespace, name: objectNameOf('dry') };
    await onboarding.patch(ref, { type: 'merge', body: { metadata: { finalizers: ['example.org/boat'] } } });
    assert.deepEqual(await broker.deprovision('dry', { isDryRun }), { state: 'in progress' });
    assert.equal((await boat('dry')).metadata.deletionTimestamp, undefined);
  });

  it('refuses updates that cannot be', async () => {
    const { broker, instance } = fixture;
    await broker.provision(instance('i'));
    const tries = [
      { why: 'a wrong value', change: { parameters: { crew: 0 } }, id: 'i', code: 'BadRequest' },
      { why: 'an unknown field', change: { parameters: { mast: 1 } }, id: 'i', code: 'BadRequest' },
      { why: 'an unknown plan', change: { planId: 'x' }, id: 'i', code: 'BadRequest' },
      { why: 'no such instance', change: {}, id: 'nobody', code: 'NotFound' },
    ];
    for (const { why, change, id, code } of tries)
      assert.equal((await rejection(broker.update(instance(id), change))).code, code, why);
  });

  it('goes when it is deprovisioned, as soon as its provider lets it go', async () => {
    const { broker, instance, boat, onboarding } = fixture;
    await broker.provision(instance('j'));
    const ref = { ...boats.ref, namespace: ownNamespace, name: objectNameOf('j') };
    await onboarding.patch(ref, { type: 'merge', body: { metadata: { finalizers: ['example.org/boat'] } } });
    assert.deepEqual(await broker.deprovision('j'), { state: 'in progress' });
    assert.deepEqual(await broker.deprovision('j'), { state: 'in progress' });
    assert.equal((await broker.progress('j')).state, 'in progress');
    for (const call of [broker.provision(instance('j')), broker.update(instance('j'), {}), broker.bind('j', 'b', {})])
      assert.equal((await rejection(call)).code, 'Conflict');
    assert.ok((await boat('j')).metadata.deletionTimestamp);
    await onboarding.patch(ref, { type: 'merge', body: { metadata: { finalizers: null } } });
    assert.deepEqual(await broker.progress('j'), { state: 'gone' });
    assert.deepEqual(await broker.deprovision('j'), { state: 'done' });
    assert.equal(await isGone(onboarding, ref), true);
  });

  it('gives its connection to every binding, once it is published', async () => {
    const { broker, instance, report, publish } = fixture;
    await broker.provision(instance('k'));
    assert.equal(await broker.bind('k', 'b1', {}), 'in progress');
    await publish('k', { uri: 'boat://k', key: 'grüße' });
    await report('k');
    const connection = { uri: 'boat://k', key: 'grüße' };
    assert.deepEqual(await broker.bind('k', 'b1', {}), connection);
    await broker.unbind('k', 'b1');
    assert.deepEqual(await broker.bind('k', 'b2', {}), connection);
  });

  it('gives no Secret that is not its own', async () => {
    const { broker, instance, onboarding } = fixture;
    await broker.provision(instance('l'));
    await onboarding.create({ ...secrets, namespace: ownNamespace }, secretOf('somebodys', { key: 'x' }));
    const status = { connectionSecretRef: { name: 'somebodys' } };
    const at = { ...boats.ref, namespace: ownNamespace, name: objectNameOf('l'), subresource: 'status' };
    await onboarding.patch(at, { type: 'merge', body: { status } });
    assert.equal(await broker.bind('l', 'b', {}), 'in progress');
  });

  it('refuses bindings that will never be', async () => {
    const { broker, instance, report } = fixture;
    assert.equal((await rejection(broker.bind('nobody', 'b', {}))).code, 'NotFound');
    await broker.provision(instance('m'));
    await report('m');
    assert.match((await rejection(broker.bind('m', 'b', {}))).message, /has no connection/);
    await report('m', 'False', 'Failed');
    assert.match((await rejection(broker.bind('m', 'b', {}))).message, /has failed/);
  });

  it('cannot be replaced by an object that a tenant has named like it', async () => {
    const { broker, instance, boat, onboarding, report, wait } = fixture;
    await broker.provision(instance('n'));
    await report('n');
    const { metadata } = await boat('n');
    // Times of creation are whole seconds.
    wait(1000);
    const copy = { name: metadata.name ?? '', namespace: 'default', labels: { ...metadata.labels } };
    await onboarding.create({ ...boats.ref, namespace: 'default' }, boats.object(copy, { rig: 'ketch', crew: 1 }));
    assert.deepEqual(await broker.progress('n'), { state: 'succeeded' });
    assert.deepEqual(await broker.parameters('n'), { rig: 'sloop', crew: 1 });
  });
});
