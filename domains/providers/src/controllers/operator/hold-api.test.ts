import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonObject, KubeObject } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import { findCondition, installKinds, isConditionTrue, isDeleting } from '@chandlery/runtime';
import { eventually } from '@chandlery/testing';
import { readHeld } from '../../model/operator/held-definitions.ts';
import { fooDefinitions } from './test-foo-kinds.ts';
import {
  foo,
  fooProvider,
  fooRef,
  foos,
  leftovers,
  startTestOperator,
  systemRef,
  type TestOperator,
} from './test-operator.ts';

const definitions = { group: 'apiextensions.k8s.io', version: 'v1', plural: 'customresourcedefinitions' };
const api = { ...definitions, name: 'foos.foo.services.example.org' };
const config = { ...definitions, name: 'providerconfigs.foo.services.example.org' };
const inDefault = { ...foos, namespace: 'default' };
const configs = { group: foos.group, version: 'v1', plural: 'providerconfigs' };

async function startReady(): Promise<TestOperator> {
  await using stack = new AsyncDisposableStack();
  const world = stack.use(await startTestOperator());
  await world.platform.create(fooRef, fooProvider());
  await world.waitFor('Ready', 'ProviderReady');
  await eventually(async () => (await heldOf(world)).length === 2, { what: 'both definitions to be remembered' });
  stack.move();
  return world;
}

const heldOf = async ({ platform }: TestOperator): Promise<readonly KubeObject[]> =>
  (await platform.list(systemRef('', 'configmaps'), { labelSelector: 'app.kubernetes.io/instance=foo' })).items;

/** A change that somebody makes who has the right to. */
const edit = (client: Client, ref: typeof api, body: JsonObject): Promise<KubeObject> =>
  client.patch(ref, { type: 'merge', body }, { fieldManager: 'kubectl-edit' });

const specOf = async (client: Client, ref: typeof api): Promise<unknown> => (await client.get(ref))['spec'];
const eventsOf = async ({ platform }: TestOperator): Promise<readonly string[]> => {
  const events = { group: '', version: 'v1', plural: 'events', namespace: 'default' };
  const { items } = await platform.list<KubeObject & { reason?: string; message?: string }>(events);
  return items.filter(({ reason }) => reason === 'APIRestored').map(({ message = '' }) => message);
};

describe('The definitions of a provider', () => {
  for (const [where, ref] of [
    ['onboarding', api],
    ['platform', config],
  ] as const) {
    it(`are put back on the ${where} cluster when somebody edits them`, async () => {
      await using world = await startReady();
      const before = await world[where].get(ref);
      const names = { shortNames: ['mine'] };
      const labels = { 'openmcp.cloud/managed-by': null };
      await edit(world[where], ref, { metadata: { labels }, spec: { names } });
      await eventually(async () => {
        const now = await world[where].get(ref);
        assert.deepEqual(now['spec'], before['spec']);
        assert.deepEqual(now.metadata.labels, before.metadata.labels);
        const managers = (object: KubeObject) => object.metadata.managedFields?.map(({ manager }) => manager);
        assert.deepEqual(managers(now), managers(before));
        return true;
      });
      await eventually(async () => (await eventsOf(world)).some(text => /had been changed .* put back/.test(text)));
      await world.waitFor('APIReady', 'KindsServed');
      await world.waitFor('Ready', 'ProviderReady');
    });
  }

  it('are put back although the edit was made while no operator ran', async () => {
    await using world = await startReady();
    const before = await specOf(world.onboarding, api);
    await world.stop();
    await edit(world.onboarding, api, { spec: { names: { shortNames: ['mine'] } } });
    await world.restart();
    await eventually(async () => {
      assert.deepEqual(await specOf(world.onboarding, api), before);
      return true;
    });
  });

  it('are made again when they were deleted, and the provider says so meanwhile', async () => {
    await using world = await startReady();
    const { metadata } = await world.onboarding.get(api);
    await world.onboarding.create(inDefault, foo('a', { finalizers: ['example.org/hold'] }));
    await world.onboarding.delete(api);
    const leaving = await world.waitFor('APIReady', 'DefinitionsRestored');
    assert.match(
      findCondition(leaving, 'APIReady')?.message ?? '',
      /foos\.foo.* is being deleted with all of its objects/,
    );
    assert.equal(findCondition(leaving, 'Ready')?.status, 'False');
    await eventually(async () => isDeleting(await world.onboarding.get({ ...inDefault, name: 'a' })));
    await world.onboarding.patch(
      { ...inDefault, name: 'a' },
      { type: 'merge', body: { metadata: { finalizers: [] } } },
    );
    await eventually(async () => {
      const now = await world.onboarding.get(api);
      return now.metadata.uid !== metadata.uid && isConditionTrue(now, 'Established');
    });
    await world.waitFor('Ready', 'ProviderReady');
    await world.onboarding.create(inDefault, foo('b'));
    await eventually(async () => (await eventsOf(world)).some(text => /had been deleted .* put back/.test(text)));
  });

  it('change when init is run again, by hand too', async () => {
    await using world = await startReady();
    const { api: definition } = fooDefinitions('foo');
    const spec = definition['spec'] as { names: object };
    const changed = { ...definition, spec: { ...spec, names: { ...spec.names, shortNames: ['byhand'] } } };
    await installKinds(world.onboarding, [changed], { fieldManager: 'provider.foo' });
    const isByHand = (text: unknown): boolean => JSON.stringify(text).includes('byhand');
    await eventually(async () => {
      const held = (await heldOf(world)).flatMap(object => readHeld(object) ?? []);
      return held.some(({ definition: remembered }) => isByHand(remembered));
    });
    assert.ok(isByHand(await specOf(world.onboarding, api)));
    await world.platform.patch(fooRef, { type: 'merge', body: { spec: { image: 'foo:2' } } });
    await eventually(async () => !isByHand(await specOf(world.onboarding, api)));
    await world.waitFor('Ready', 'ProviderReady');
    assert.equal(world.kubelet.inits, 2);
    await eventually(async () => {
      const inits = (await heldOf(world)).map(held => readHeld(held)?.init);
      const { metadata } = await world.platform.get({ ...systemRef('batch', 'jobs'), name: 'sp-foo-init' });
      assert.deepEqual(inits, [metadata.uid, metadata.uid]);
      return true;
    });
    assert.deepEqual(await eventsOf(world), []);
  });

  it('go with the provider, and so does what was remembered of them', async () => {
    await using world = await startReady();
    await world.platform.delete(fooRef);
    await eventually(async () => {
      assert.deepEqual(await leftovers(world), []);
      return true;
    });
  });
});

describe('What all tenants of a provider share', () => {
  it('keeps the provider from being ready while it is not, and is followed', async () => {
    await using world = await startReady();
    const at = { ...configs, name: 'foo' };
    const object = { apiVersion: `${foos.group}/v1`, kind: 'ProviderConfig', metadata: { name: 'foo' }, spec: {} };
    await world.platform.create(configs, object as KubeObject);
    const say = (status: string, message: string): Promise<unknown> => {
      const lastTransitionTime = '2026-01-01T00:00:00Z';
      const conditions = [{ type: 'Ready', status, reason: 'Reconciling', message, lastTransitionTime }];
      return world.platform.patch(
        { ...at, subresource: 'status' },
        { type: 'merge', body: { status: { conditions } } },
      );
    };
    await say('False', 'Deployment "shared/server" is not ready: 0 of 1 replicas are available.');
    const unready = await world.waitFor('SharedReady', 'SharedServiceNotReady');
    assert.match(findCondition(unready, 'SharedReady')?.message ?? '', /"foo".*Deployment "shared\/server".*0 of 1/);
    await world.waitFor('Ready', 'ProviderNotReady');
    await say('True', '');
    await world.waitFor('SharedReady', 'SharedServiceReady');
    await world.waitFor('Ready', 'ProviderReady');
    await say('False', 'Again.');
    await world.waitFor('Ready', 'ProviderNotReady');
    await world.platform.delete(at);
    await world.waitFor('Ready', 'ProviderReady');
  });
});
