import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { defineKind } from '@chandlery/api';
import { installKinds } from '@chandlery/runtime';
import { eventually } from '@chandlery/testing';
import { Type } from 'typebox';
import { serviceProviders } from '../../kinds/index.ts';
import { boatConfigs, boats, createProvider, installedBy, startOfferings } from './test-offerings.ts';

const plansKey = 'openmcp.cloud/plans';
const plans = (...list: readonly object[]): Record<string, string> => ({ [plansKey]: JSON.stringify(list) });
const configRef = { ...boatConfigs.ref, name: 'wharf' };
const fieldManager = 'test';

describe('The catalog of what providers offer', () => {
  it('has the kinds that providers serve, each with one plan', async () => {
    await using fixture = await startOfferings();
    const [service, ...others] = await fixture.broker.catalog();
    assert.deepEqual(others, []);
    assert.deepEqual(service, {
      id: '59c204f7-99f1-8c19-9de1-83b3ef2a51df',
      name: 'boat',
      description: 'A boat of your own.',
      isBindable: true,
      metadata: {
        displayName: 'Boat',
        providerDisplayName: 'wharf',
        apiVersion: 'boats.services.example.org/v1',
        kind: 'Boat',
      },
      plans: [
        {
          id: 'f7170182-9ca6-87a3-80ae-ae5204514aa3',
          name: 'default',
          description: 'Everything is decided by parameters.',
          isFree: true,
          metadata: { supportsInstanceSharing: true },
          parameters: {
            $schema: 'http://json-schema.org/draft-07/schema#',
            type: 'object',
            additionalProperties: false,
            required: ['rig'],
            properties: {
              rig: { type: 'string', minLength: 2, maxLength: 8 },
              crew: { type: 'integer', default: 1, minimum: 1 },
              paint: {
                type: 'object',
                additionalProperties: false,
                properties: { hull: { type: 'string' }, deck: { type: 'string' } },
              },
              secretName: { type: 'string', pattern: '^[a-z]+$' },
            },
          },
        },
      ],
    });
  });

  it('has no kind that a provider only claims, or that is not for tenants', async () => {
    await using fixture = await startOfferings();
    const { platform, onboarding, broker } = fixture;
    await createProvider(platform, 'thief', [boats, { group: '', version: 'v1', kind: 'Secret' }]);
    const piers = defineKind({ ...pierOf('Cluster'), group: 'piers.services.example.org' });
    await installKinds(onboarding, [installedBy('thief', piers.crd)], { fieldManager });
    await platform.patch(
      { ...serviceProviders.ref, name: 'thief', subresource: 'status' },
      { type: 'merge', body: { status: { resources: [{ group: piers.group, version: 'v1', kind: 'Pier' }] } } },
    );
    assert.deepEqual(await namesIn(broker), ['boat']);
  });

  it('gives the plain name to the elder of two kinds of one name', async () => {
    await using fixture = await startOfferings();
    const { platform, onboarding, broker } = fixture;
    const others = defineKind({ ...pierOf('Namespaced'), kind: 'Boat', group: 'other.services.example.org' });
    await installKinds(onboarding, [installedBy('yard', others.crd)], { fieldManager });
    await createProvider(platform, 'yard', [others]);
    assert.deepEqual(await namesIn(broker), ['boat', 'boat.other.services.example.org']);
  });

  it('has no kind of a provider that is being uninstalled, whose instances live on', async () => {
    await using fixture = await startOfferings();
    const { platform, broker, instance, report } = fixture;
    await broker.provision(instance('a'));
    const at = { ...serviceProviders.ref, name: 'wharf' };
    await platform.patch(at, { type: 'merge', body: { metadata: { finalizers: ['example.org/x'] } } });
    await platform.delete(at);
    assert.deepEqual(await broker.catalog(), []);
    await assert.rejects(broker.provision(instance('b')), { code: 'BadRequest' });
    assert.deepEqual(await broker.update(instance('a'), { parameters: { crew: 2 } }), { state: 'in progress' });
    await report('a');
    assert.equal((await broker.progress('a')).state, 'succeeded');
    assert.deepEqual(await broker.deprovision('a'), { state: 'done' });
    await platform.patch(at, { type: 'merge', body: { metadata: { finalizers: null } } });
  });

  it('is empty before the landscape is set up', async () => {
    await using fixture = await startOfferings();
    const { platform, broker } = fixture;
    await platform.delete({ ...serviceProviders.ref, name: 'wharf' });
    await platform.delete({
      group: 'apiextensions.k8s.io',
      version: 'v1',
      plural: 'customresourcedefinitions',
      name: 'serviceproviders.openmcp.cloud',
    });
    await eventually(async () => (await namesIn(broker)).length === 0);
    assert.deepEqual(await broker.progress('a'), { state: 'gone' });
  });
});

describe('Plans', () => {
  it('come from the definition of the kind, and are what an instance is by default', async () => {
    await using fixture = await startOfferings(
      plans(
        { name: 'small', spec: { crew: 2, paint: { hull: 'grey', deck: 'grey' } } },
        { name: 'large', description: 'For many.', free: false, spec: { crew: 9, paint: { hull: 'gold' } } },
        { name: 'other', kind: 'Other' },
      ),
    );
    const { broker, instance, boat } = fixture;
    const [service] = await broker.catalog();
    const [small, large] = service?.plans ?? [];
    assert.deepEqual(
      service?.plans.map(({ name, description, isFree }) => [name, description, isFree]),
      [
        ['small', 'Boat, plan small.', true],
        ['large', 'For many.', false],
      ],
    );
    await broker.provision(instance('a', { rig: 'sloop', paint: { hull: 'red' } }, { planId: small?.id ?? '' }));
    assert.deepEqual((await boat('a'))['spec'], { rig: 'sloop', crew: 2, paint: { hull: 'red', deck: 'grey' } });
    await broker.update(instance('a'), { planId: large?.id ?? '' });
    const grown = await boat('a');
    assert.deepEqual(grown['spec'], { rig: 'sloop', crew: 9, paint: { hull: 'red' } });
    await broker.update(instance('a'), { planId: large?.id ?? '' });
    assert.equal((await boat('a')).metadata.generation, grown.metadata.generation);
    await broker.update(instance('a'), { parameters: { paint: { hull: null } } });
    assert.deepEqual((await boat('a'))['spec'], { rig: 'sloop', crew: 9, paint: { hull: 'gold' } });
  });

  it('of the configuration count before those of the kind', async () => {
    await using fixture = await startOfferings(plans({ name: 'kind' }));
    const { platform, broker } = fixture;
    const annotations = plans({ name: 'configured' });
    await platform.create(boatConfigs.ref, boatConfigs.object({ name: 'wharf', annotations }, {}));
    const [service] = await broker.catalog();
    assert.deepEqual(
      service?.plans.map(({ name }) => name),
      ['configured'],
    );
  });

  const unreadable = [
    '{',
    '{}',
    '[{}]',
    '[{"name":""}]',
    '[{"name":"a"},{"name":"a"}]',
    '[{"name":"a","spec":1}]',
    '[]',
  ];
  it('that cannot be read, or are none, offer nothing', async () => {
    await using fixture = await startOfferings();
    const { platform, broker } = fixture;
    await platform.create(boatConfigs.ref, boatConfigs.object({ name: 'wharf' }, {}));
    for (const text of unreadable) {
      const body = { metadata: { annotations: { [plansKey]: text } } };
      await platform.patch(configRef, { type: 'merge', body });
      assert.deepEqual(await namesIn(broker), [], text);
    }
  });
});

describe('Who listens to the catalog', () => {
  it('is notified of new, changed and removed offers', async () => {
    await using fixture = await startOfferings();
    const { platform, onboarding, broker } = fixture;
    let calls = 0;
    const stop = broker.onCatalogChange(() => calls++);
    const heard = async (act: () => Promise<unknown>, what: string): Promise<void> => {
      const before = calls;
      await act();
      await eventually(() => calls > before, { what });
    };
    await heard(async () => undefined, 'the beginning');
    await heard(
      () =>
        platform.create(boatConfigs.ref, boatConfigs.object({ name: 'wharf', annotations: plans({ name: 'x' }) }, {})),
      'a configuration with plans',
    );
    await heard(
      () => platform.patch(configRef, { type: 'merge', body: { metadata: { annotations: plans({ name: 'y' }) } } }),
      'other plans',
    );
    const piers = defineKind({ ...pierOf('Namespaced'), group: 'piers.services.example.org' });
    await heard(async () => {
      await createProvider(platform, 'yard', [piers]);
      await installKinds(onboarding, [installedBy('yard', piers.crd)], { fieldManager });
    }, 'another provider');
    await heard(() => platform.delete({ ...serviceProviders.ref, name: 'yard' }), 'the end of a provider');
    stop();
  });

  it('is not notified of instances, nor after having stopped', async () => {
    await using fixture = await startOfferings();
    const { platform, broker, instance } = fixture;
    const calls = { stopped: 0, listening: 0 };
    const stop = broker.onCatalogChange(() => calls.stopped++);
    broker.onCatalogChange(() => calls.listening++);
    await eventually(() => calls.listening === 1 && calls.stopped === 1);
    stop();
    await broker.provision(instance('a'));
    await platform.delete({ ...serviceProviders.ref, name: 'wharf' });
    await eventually(() => calls.listening === 2);
    assert.equal(calls.stopped, 1);
  });
});

const namesIn = async (broker: { catalog(): Promise<readonly { name: string }[]> }): Promise<string[]> =>
  (await broker.catalog()).map(({ name }) => name).sort();

const pierOf = (scope: 'Namespaced' | 'Cluster') =>
  ({ version: 'v1', kind: 'Pier', scope, description: 'A pier.', spec: Type.Object({}) }) as const;
