import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isError, type KubeObject } from '@chandlery/api';
import type { Client, ObjectRef } from '@chandlery/client';
import { accessRequests, clusterRequests, tenantNamespace } from '@chandlery/clusters/kinds';
import { eventually } from '@chandlery/testing';
import { instanceIdOf, instanceNamespaceOf, sdkNames } from '../model/names.ts';
import { type FooFixture, fooRef, startFooFixture } from '../test-foo-fixture.ts';
import { bars } from '../test-provider.ts';

const identity = { namespace: 'default', name: 'a' };
const id = instanceIdOf(identity);
const instance = instanceNamespaceOf('Foo', identity);
const home = tenantNamespace('default', 'a');
const core = { group: '', version: 'v1' };
const configMap = { ...core, plural: 'configmaps', namespace: instance, name: 'foo' };
const namespace = { ...core, plural: 'namespaces', name: instance };
const crd: ObjectRef = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  plural: 'customresourcedefinitions',
  name: bars.crd.metadata.name ?? '',
};

const find = (client: Client, ref: ObjectRef): Promise<KubeObject | undefined> =>
  client.get(ref).catch((error: unknown) => {
    if (!isError(error, 'NotFound')) throw error;
    return undefined;
  });

/** Everything of the object "a", on all clusters. */
async function census({ landscape }: FooFixture): Promise<readonly string[]> {
  const { platform, workload, plane } = landscape;
  const found: string[] = [];
  for (const [name, client, ref] of [
    ['configmap', workload, configMap],
    ['namespace', workload, namespace],
    ['crd', plane.connect('mcp-a'), crd],
  ] as const)
    if ((await find(client, ref)) !== undefined) found.push(name);
  for (const { ref, plural } of [accessRequests, clusterRequests])
    for (const { metadata } of (await platform.list({ ...ref, namespace: home })).items)
      if (metadata.name !== 'a') found.push(`${plural}/${metadata.name}`);
  return found.sort();
}

const everything = [
  'accessrequests/foo--a--mcp',
  'accessrequests/foo--a--wl',
  'clusterrequests/foo--a--wl',
  'configmap',
  'crd',
  'namespace',
];

const becomes = (fixture: FooFixture, wanted: readonly string[]): Promise<unknown> =>
  eventually(async () => {
    assert.deepEqual(await census(fixture), wanted);
    return true;
  });

/** Deletes an object and its finalizers, as an administrator may do. */
async function removeByForce(fixture: FooFixture): Promise<void> {
  await fixture.patch('a', { metadata: { annotations: { 'openmcp.cloud/operation': 'ignore' } } });
  await fixture.landscape.onboarding.delete(fooRef('a'));
  await fixture.patch('a', { metadata: { finalizers: [] } }).catch(() => undefined);
  await fixture.gone('a');
}

/** A landscape whose provider has served "a" and was stopped before "a" was deleted by force. */
async function startWithLeftovers(prepare: (fixture: FooFixture) => Promise<void> = async () => undefined) {
  await using stack = new AsyncDisposableStack();
  const fixture = stack.use(await startFooFixture({ isStarted: false }));
  const running = await fixture.start();
  await fixture.create('a');
  await fixture.ready('a');
  await running[Symbol.asyncDispose]();
  await removeByForce(fixture);
  await prepare(fixture);
  assert.deepEqual(await census(fixture), everything);
  stack.move();
  return fixture;
}

const annotateRequests = async ({ landscape: { platform } }: FooFixture, policy: string | null): Promise<void> => {
  for (const { ref } of [accessRequests, clusterRequests]) {
    for (const { metadata } of (await platform.list({ ...ref, namespace: home })).items) {
      const { name = '' } = metadata;
      if (name === 'a') continue;
      const body = { metadata: { annotations: { [sdkNames.policyAnnotation]: policy } } };
      await platform.patch({ ...ref, namespace: home, name }, { type: 'merge', body });
    }
  }
};

describe('What an object leaves that was removed by force', () => {
  it('is taken away at once while the provider runs, also beyond the clusters', async () => {
    await using fixture = await startFooFixture();
    await fixture.create('a');
    await fixture.ready('a');
    assert.deepEqual(await census(fixture), everything);
    await removeByForce(fixture);
    await becomes(fixture, []);
    assert.deepEqual(fixture.bank.deeds, [`create ${id}`, `delete ${id}`]);
    await eventually(async () => /chandlery_provider_swept_total 1/.test(await fixture.registry.render()));
    await eventually(async () => (await fixture.events('a')).includes('SweptUp'));
  });

  it('stays where it was to stay', async () => {
    await using fixture = await startFooFixture();
    await fixture.create('a', { deletionPolicy: 'Orphan' });
    await fixture.ready('a');
    await removeByForce(fixture);
    await eventually(async () => (await fixture.events('a')).includes('SweptUp'));
    assert.ok(await find(fixture.landscape.workload, configMap));
    assert.deepEqual(fixture.bank.deeds, [`create ${id}`]);
  });

  it('is taken away by the next process of the provider', async () => {
    await using fixture = await startWithLeftovers();
    await fixture.start();
    await becomes(fixture, []);
  });

  it('is left to a new object of the same name', async () => {
    await using fixture = await startWithLeftovers(async before => void (await before.create('a')));
    await fixture.start();
    await fixture.ready('a');
    assert.deepEqual(await census(fixture), everything);
  });

  for (const [why, policy] of [
    ['it is not known whether it was to stay', null],
    ['it was to stay', 'Orphan'],
  ] as const) {
    it(`waits for a decision when ${why}`, async () => {
      await using fixture = await startWithLeftovers(before => annotateRequests(before, policy));
      await fixture.start();
      const request = { ...accessRequests.ref, namespace: home, name: 'foo--a--mcp' };
      await eventually(async () => {
        const { annotations } = (await fixture.landscape.platform.get(request)).metadata;
        return /annotate the requests/.test(annotations?.[sdkNames.leftoverAnnotation] ?? '');
      });
      assert.deepEqual(await census(fixture), everything);
      await annotateRequests(fixture, 'Delete');
      await becomes(fixture, []);
    });
  }
});
