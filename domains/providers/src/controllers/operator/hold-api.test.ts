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
  const fixture = stack.use(await startTestOperator());
  await fixture.platform.create(fooRef, fooProvider());
  await fixture.waitFor('Ready', 'ProviderReady');
  await eventually(async () => (await heldOf(fixture)).length === 2, { what: 'both definitions to be remembered' });
  stack.move();
  return fixture;
}

const heldOf = async ({ platform }: TestOperator): Promise<readonly KubeObject[]> =>
  (await platform.list(systemRef('', 'configmaps'), { labelSelector: 'app.kubernetes.io/instance=foo' })).items;

/** A change by a client with sufficient rights. */
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
    it(`are put back on the ${where} cluster when another client edits them`, async () => {
      await using fixture = await startReady();
      const before = await fixture[where].get(ref);
      const names = { shortNames: ['mine'] };
      const labels = { 'openmcp.cloud/managed-by': null };
      await edit(fixture[where], ref, { metadata: { labels }, spec: { names } });
      await eventually(async () => {
        const now = await fixture[where].get(ref);
        assert.deepEqual(now['spec'], before['spec']);
        assert.deepEqual(now.metadata.labels, before.metadata.labels);
        const managers = (object: KubeObject) => object.metadata.managedFields?.map(({ manager }) => manager);
        assert.deepEqual(managers(now), managers(before));
        return true;
      });
      await eventually(async () => (await eventsOf(fixture)).some(text => /had been changed .* restored/.test(text)));
      await fixture.waitFor('APIReady', 'KindsServed');
      await fixture.waitFor('Ready', 'ProviderReady');
    });
  }

  it('are put back although the edit was made while no operator ran', async () => {
    await using fixture = await startReady();
    const before = await specOf(fixture.onboarding, api);
    await fixture.stop();
    await edit(fixture.onboarding, api, { spec: { names: { shortNames: ['mine'] } } });
    await fixture.restart();
    await eventually(async () => {
      assert.deepEqual(await specOf(fixture.onboarding, api), before);
      return true;
    });
  });

  it('are made again when they were deleted, and the provider says so meanwhile', async () => {
    await using fixture = await startReady();
    const { metadata } = await fixture.onboarding.get(api);
    await fixture.onboarding.create(inDefault, foo('a', { finalizers: ['example.org/hold'] }));
    await fixture.onboarding.delete(api);
    const leaving = await fixture.waitFor('APIReady', 'DefinitionsRestored');
    assert.match(
      findCondition(leaving, 'APIReady')?.message ?? '',
      /foos\.foo.* is being deleted with all of its objects/,
    );
    assert.equal(findCondition(leaving, 'Ready')?.status, 'False');
    await eventually(async () => isDeleting(await fixture.onboarding.get({ ...inDefault, name: 'a' })));
    await fixture.onboarding.patch(
      { ...inDefault, name: 'a' },
      { type: 'merge', body: { metadata: { finalizers: [] } } },
    );
    await eventually(async () => {
      const now = await fixture.onboarding.get(api);
      return now.metadata.uid !== metadata.uid && isConditionTrue(now, 'Established');
    });
    await fixture.waitFor('Ready', 'ProviderReady');
    await fixture.onboarding.create(inDefault, foo('b'));
    await eventually(async () => (await eventsOf(fixture)).some(text => /had been deleted .* restored/.test(text)));
  });

  it('change when init is run again, by hand too', async () => {
    await using fixture = await startReady();
    const { api: definition } = fooDefinitions('foo');
    const spec = definition['spec'] as { names: object };
    const changed = { ...definition, spec: { ...spec, names: { ...spec.names, shortNames: ['byhand'] } } };
    await installKinds(fixture.onboarding, [changed], { fieldManager: 'provider.foo' });
    const isByHand = (text: unknown): boolean => JSON.stringify(text).includes('byhand');
    await eventually(async () => {
      const held = (await heldOf(fixture)).flatMap(object => readHeld(object) ?? []);
      return held.some(({ definition: remembered }) => isByHand(remembered));
    });
    assert.ok(isByHand(await specOf(fixture.onboarding, api)));
    await fixture.platform.patch(fooRef, { type: 'merge', body: { spec: { image: 'foo:2' } } });
    await eventually(async () => !isByHand(await specOf(fixture.onboarding, api)));
    await fixture.waitFor('Ready', 'ProviderReady');
    assert.equal(fixture.kubelet.inits, 2);
    await eventually(async () => {
      const inits = (await heldOf(fixture)).map(held => readHeld(held)?.init);
      const { metadata } = await fixture.platform.get({ ...systemRef('batch', 'jobs'), name: 'sp-foo-init' });
      assert.deepEqual(inits, [metadata.uid, metadata.uid]);
      return true;
    });
    assert.deepEqual(await eventsOf(fixture), []);
  });

  it('go with the provider, and so does what was remembered of them', async () => {
    await using fixture = await startReady();
    await fixture.platform.delete(fooRef);
    await eventually(async () => {
      assert.deepEqual(await leftovers(fixture), []);
      return true;
    });
  });
});

describe('What all tenants of a provider share', () => {
  it('keeps the provider from being ready while it is not, and is followed', async () => {
    await using fixture = await startReady();
    const at = { ...configs, name: 'foo' };
    const object = { apiVersion: `${foos.group}/v1`, kind: 'ProviderConfig', metadata: { name: 'foo' }, spec: {} };
    await fixture.platform.create(configs, object);
    const say = (status: string, message: string): Promise<unknown> => {
      const lastTransitionTime = '2026-01-01T00:00:00Z';
      const conditions = [{ type: 'Ready', status, reason: 'Reconciling', message, lastTransitionTime }];
      return fixture.platform.patch(
        { ...at, subresource: 'status' },
        { type: 'merge', body: { status: { conditions } } },
      );
    };
    await say('False', 'Deployment "shared/server" is not ready: 0 of 1 replicas are available.');
    const unready = await fixture.waitFor('SharedReady', 'SharedServiceNotReady');
    assert.match(findCondition(unready, 'SharedReady')?.message ?? '', /"foo".*Deployment "shared\/server".*0 of 1/);
    await fixture.waitFor('Ready', 'ProviderNotReady');
    await say('True', '');
    await fixture.waitFor('SharedReady', 'SharedServiceReady');
    await fixture.waitFor('Ready', 'ProviderReady');
    await say('False', 'Again.');
    await fixture.waitFor('Ready', 'ProviderNotReady');
    await fixture.platform.delete(at);
    await fixture.waitFor('Ready', 'ProviderReady');
  });
});
