import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isError, type KubeObject } from '@chandlery/api';
import type { Client, ObjectRef } from '@chandlery/client';
import { retainedServices } from '@chandlery/providers/kinds';
import { findCondition } from '@chandlery/runtime';
import { eventually } from '@chandlery/testing';
import type { ProviderDefinition } from '../definition/provider-definition.ts';
import { instanceNamespaceOf, retainedServiceName } from '../model/names.ts';
import { type FooFixture, fooRef, startFooFixture } from '../test-foo-fixture.ts';
import { type Bank, fooConfigs, fooProvider } from '../test-provider.ts';

const instance = instanceNamespaceOf('Foo', { namespace: 'default', name: 'a' });
const configMap = { group: '', version: 'v1', plural: 'configmaps', namespace: instance, name: 'foo' };

const find = (client: Client, ref: ObjectRef): Promise<KubeObject | undefined> =>
  client.get(ref).catch((error: unknown) => {
    if (isError(error, 'NotFound')) return undefined;
    throw error;
  });

/** Accounts by external name; the bank chooses a size when the spec has none. */
function namedAccounts(bank: Bank): ProviderDefinition {
  const { service, ...rest } = fooProvider(bank);
  const definition: ReturnType<typeof fooProvider> = {
    ...rest,
    lateInitialized: ['size'],
    service: {
      ...service,
      observe: async ({ spec }, { externalName }) => {
        const account = bank.accounts.get(externalName);
        const isOther = account !== undefined && spec.size !== undefined && account.size !== spec.size;
        return {
          exists: account !== undefined,
          differences: isOther ? [`The size is ${account.size}.`] : [],
          isReady: true,
          ...(account && { chosen: { size: account.size, version: 'never declared' } }),
          requeueAfterMs: 3_600_000,
        };
      },
      createOrUpdate: async ({ spec: { size = 7 } }, { externalName }) => {
        bank.do(`${bank.accounts.has(externalName) ? 'update' : 'create'} ${externalName}`);
        bank.accounts.set(externalName, { size, isOwned: true });
      },
      delete: async (_, { externalName }) => {
        if (bank.accounts.delete(externalName)) bank.do(`delete ${externalName}`);
      },
    },
  };
  return definition;
}

const annotate = (fixture: FooFixture, name: string, annotations: Record<string, string | null>): Promise<unknown> =>
  fixture.patch(name, { metadata: { annotations } });

describe('The external name', () => {
  it("is the object's name, unless an existing service is imported by another", async () => {
    await using fixture = await startFooFixture({ isStarted: false, define: namedAccounts });
    fixture.bank.accounts.set('elders', { size: 5, isOwned: false });
    await fixture.create('a', { size: 5 });
    await annotate(fixture, 'a', { 'openmcp.cloud/external-name': 'elders' });
    await fixture.start();
    await fixture.ready('a');
    assert.deepEqual(fixture.bank.deeds, []);
    await fixture.patch('a', { spec: { size: 6 } });
    await fixture.ready('a');
    await fixture.remove('a');
    await fixture.gone('a');
    assert.deepEqual(fixture.bank.deeds, ['update elders', 'delete elders']);
  });
});

describe('Late initialisation', () => {
  it('writes back what the service chose, once and in its own name', async () => {
    await using fixture = await startFooFixture({ define: namedAccounts });
    await fixture.create('a');
    await eventually(async () => (await fixture.get('a')).spec.size === 7, { what: 'the size to be written back' });
    const foo = await fixture.ready('a');
    assert.equal(foo.spec.version, '1.0');
    const owners = foo.metadata.managedFields?.filter(({ fieldsV1 }) => JSON.stringify(fieldsV1).includes('f:size'));
    assert.deepEqual(
      owners?.map(({ manager }) => manager),
      ['provider.foo.late-init'],
    );
    await fixture.patch('a', { spec: { size: null } });
    assert.equal((await fixture.ready('a')).spec.size, undefined);
    assert.deepEqual(fixture.bank.deeds, ['create a']);
  });

  it('never touches what the tenant set', async () => {
    await using fixture = await startFooFixture({ isStarted: false, define: namedAccounts });
    fixture.bank.accounts.set('a', { size: 5, isOwned: false });
    await fixture.create('a', { size: 2 });
    await fixture.start();
    assert.equal((await fixture.ready('a')).spec.size, 2);
  });
});

describe('Management policies', () => {
  it('that mean nothing are refused where they are written', async () => {
    await using fixture = await startFooFixture();
    await assert.rejects(fixture.create('a', { managementPolicies: ['Create', 'Delete'] }), {
      code: 'Invalid',
      message: /Observe is part of every combination/,
    });
    await assert.rejects(fixture.create('a', { managementPolicies: ['*', 'Observe'] }), {
      message: /must stand alone/,
    });
  });

  it('that only observe create nothing, and say what is missing', async () => {
    await using fixture = await startFooFixture({ define: namedAccounts });
    await fixture.create('a', { managementPolicies: ['Observe'] });
    assert.match(await fixture.says('a', 'Ready', 'Missing'), /managementPolicies do not let it be created/);
    assert.equal(await find(fixture.landscape.workload, configMap), undefined);
    assert.deepEqual(fixture.bank.deeds, []);
    await fixture.patch('a', { spec: { managementPolicies: ['*'] } });
    await fixture.ready('a');
  });

  it('without Update leave a service that differs as it is', async () => {
    await using fixture = await startFooFixture({ define: namedAccounts });
    await fixture.create('a', { size: 2 });
    await fixture.ready('a');
    await fixture.patch('a', {
      spec: { size: 9, version: '1.1', managementPolicies: ['Observe', 'Create', 'Delete'] },
    });
    await fixture.ready('a');
    assert.equal(fixture.bank.accounts.get('a')?.size, 2);
    assert.deepEqual((await fixture.landscape.workload.get(configMap))['data'], { version: '1.0', greeting: 'hello' });
  });

  it('without Delete let the service go', async () => {
    await using fixture = await startFooFixture({ define: namedAccounts });
    await fixture.create('a', { managementPolicies: ['Observe', 'Create', 'Update'] });
    await fixture.ready('a');
    await fixture.remove('a');
    await fixture.gone('a');
    assert.ok(await find(fixture.landscape.workload, configMap));
    const name = retainedServiceName('Foo', 'a');
    assert.ok(await find(fixture.landscape.onboarding, { ...retainedServices.ref, namespace: 'default', name }));
  });

  it('that are empty pause', async () => {
    await using fixture = await startFooFixture({ define: namedAccounts });
    await fixture.create('a', { managementPolicies: [] });
    await eventually(async () => findCondition(await fixture.get('a'), 'Paused')?.status === 'True');
    assert.deepEqual(fixture.bank.deeds, []);
  });
});

describe('providerConfigRef', () => {
  const config = (name: string): ObjectRef => ({ ...fooConfigs.ref, name });
  const inUse = async ({ landscape }: FooFixture, name: string): Promise<string | undefined> => {
    const object = await find(landscape.platform, config(name));
    return object && findCondition(object, 'InUse')?.reason;
  };

  it('chooses a configuration, and waits for one that is missing', async () => {
    await using fixture = await startFooFixture();
    const { platform, workload } = fixture.landscape;
    await fixture.create('a', { providerConfigRef: { name: 'other' } });
    assert.match(
      await fixture.says('a', 'Ready', 'Reconciling'),
      /No ProviderConfig named "other"; .* spec\.providerConfigRef/,
    );
    await platform.create(
      fooConfigs.ref,
      fooConfigs.object({ name: 'other' }, { versions: ['1.0'], greeting: 'ahoy' }),
    );
    await fixture.ready('a');
    assert.deepEqual((await workload.get(configMap))['data'], { version: '1.0', greeting: 'ahoy' });
    await platform.patch(config('other'), { type: 'merge', body: { spec: { greeting: 'hey' } } });
    await eventually(async () => JSON.stringify((await workload.get(configMap))['data']).includes('hey'));
  });

  it('protects the configurations that are used, and reports those that are not', async () => {
    await using fixture = await startFooFixture();
    const { platform } = fixture.landscape;
    await platform.create(fooConfigs.ref, fooConfigs.object({ name: 'other' }, { versions: ['1.0'] }));
    await eventually(async () => (await inUse(fixture, 'other')) === 'Unused');
    await fixture.create('a', { providerConfigRef: { name: 'other' } });
    await fixture.ready('a');
    await eventually(async () => (await inUse(fixture, 'other')) === 'UsedByObjects');
    await eventually(async () => (await inUse(fixture, 'foo')) === 'Unused');
    await platform.delete(config('foo'));
    assert.equal(await find(platform, config('foo')), undefined);
    await platform.delete(config('other'));
    assert.ok(await find(platform, config('other')));
    await fixture.remove('a');
    await fixture.gone('a');
    await eventually(async () => (await find(platform, config('other'))) === undefined);
  });

  it('of an object that changes it lets the former one go', async () => {
    await using fixture = await startFooFixture();
    const { platform, onboarding } = fixture.landscape;
    await platform.create(fooConfigs.ref, fooConfigs.object({ name: 'other' }, { versions: ['1.0'] }));
    await fixture.create('a');
    await fixture.ready('a');
    const body = { spec: { providerConfigRef: { name: 'other' } } };
    await onboarding.patch(fooRef('a'), { type: 'merge', body });
    await fixture.ready('a');
    await eventually(async () => ((await platform.get(config('foo'))).metadata.finalizers ?? []).length === 0);
  });
});
