import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { it } from 'node:test';
import type { Client } from '@chandlery/client';
import { accessRequests, clusterRequests, tenantNamespace } from '@chandlery/clusters/kinds';
import { eventually, longRun } from '@chandlery/testing';
import { instanceIdOf, instanceNamespaceOf, receiptName, sdkNames } from '../model/names.ts';
import { type FooFixture, startFooFixture } from '../test-foo-fixture.ts';
import { Fuse } from '../test-fuse.ts';
import { startReconciler } from './start-reconciler.ts';

/** A long run stops a process at every request; a usual one at every third, chosen at random. */
const stride = longRun(1, 3);
const firstCut = 1 + randomInt(stride);

const namesIn = async ({ landscape }: FooFixture, ref: typeof accessRequests.ref, namespace: string) =>
  (await landscape.platform.list({ ...ref, namespace })).items.map(({ metadata }) => metadata.name);

/** Runs a process that stops at its k-th request, or when the work is done; returns whether it was interrupted. */
async function runUntilCrash(fixture: FooFixture, k: number, isDone: () => Promise<boolean>): Promise<boolean> {
  const fuse = new Fuse(k);
  {
    await using _ = startProcess(fixture, fuse.protect);
    await eventually(async () => fuse.isBlown || (await isDone()), { what: `request ${k}`, pauseMs: 2 });
  }
  if (!fuse.isBlown) return false;
  await using _ = startProcess(fixture, client => client);
  await eventually(isDone, { what: 'the second process', pauseMs: 2 });
  return true;
}

function startProcess({ definition, landscape }: FooFixture, protect: (client: Client) => Client): AsyncDisposable {
  const { platform, onboarding } = landscape;
  const connect = (kubeconfig: string): Client => protect(landscape.connect(kubeconfig));
  const clients = { platform: protect(platform), onboarding: protect(onboarding), connect };
  return startReconciler(definition, { provider: 'foo', ...clients });
}

const isReady = (fixture: FooFixture, name: string) => async (): Promise<boolean> =>
  (await fixture.get(name)).status?.phase === 'Ready';
const isRemoved = (fixture: FooFixture, name: string) => (): Promise<boolean> =>
  fixture.get(name).then(
    () => false,
    () => true,
  );

async function assertComplete(fixture: FooFixture, name: string): Promise<void> {
  const home = tenantNamespace('default', name);
  const id = instanceIdOf({ namespace: 'default', name });
  assert.deepEqual(await namesIn(fixture, accessRequests.ref, home), [`foo--${name}--mcp`, `foo--${name}--wl`]);
  assert.deepEqual(await namesIn(fixture, clusterRequests.ref, home), [name, `foo--${name}--wl`]);
  assert.deepEqual(fixture.bank.deeds, [`create ${id}`]);
  const namespace = instanceNamespaceOf('Foo', { namespace: 'default', name });
  const maps = await fixture.landscape.workload.list({ group: '', version: 'v1', plural: 'configmaps', namespace });
  assert.ok(maps.items.some(({ metadata }) => metadata.name === 'foo'));
}

async function assertNothingLeft(fixture: FooFixture, name: string): Promise<void> {
  const home = tenantNamespace('default', name);
  assert.deepEqual(await namesIn(fixture, accessRequests.ref, home), []);
  assert.deepEqual(await namesIn(fixture, clusterRequests.ref, home), [name]);
  assert.equal(fixture.bank.accounts.size, 0);
  const all = { group: '', version: 'v1', plural: 'namespaces' };
  const instance = instanceNamespaceOf('Foo', { namespace: 'default', name });
  const { items } = await fixture.landscape.workload.list(all);
  assert.ok(!items.some(({ metadata }) => metadata.name === instance));
}

it('A provider that ends at any request leaves nothing that the next one cannot finish', async () => {
  await using fixture = await startFooFixture({ isStarted: false, controlPlanes: {} });
  let isCut = true;
  for (let k = firstCut; isCut; k += stride) {
    const name = `c${k}`;
    fixture.bank.deeds.length = 0;
    await fixture.landscape.createControlPlane('default', name, 'mcp-a');
    await fixture.create(name);
    const isCutInCreate = await runUntilCrash(fixture, k, isReady(fixture, name));
    await assertComplete(fixture, name);
    await fixture.remove(name);
    const isCutInDelete = await runUntilCrash(fixture, k, isRemoved(fixture, name));
    await assertNothingLeft(fixture, name);
    isCut = isCutInCreate || isCutInDelete;
  }
});

it('A provider that ends while it lets go forgets nothing in the receipt', async () => {
  await using fixture = await startFooFixture({ isStarted: false, controlPlanes: {} });
  let isCut = true;
  for (let k = firstCut; isCut; k += stride) {
    const name = `o${k}`;
    const identity = { namespace: 'default', name };
    await fixture.landscape.createControlPlane('default', name, 'mcp-a');
    await fixture.create(name, { deletionPolicy: 'Orphan' });
    await runUntilCrash(fixture, Number.POSITIVE_INFINITY, isReady(fixture, name));
    await fixture.remove(name);
    isCut = await runUntilCrash(fixture, k, isRemoved(fixture, name));
    const at = { group: '', version: 'v1', plural: 'configmaps' };
    const receipt = await fixture.landscape.onboarding.get({ ...at, ...identity, name: receiptName('Foo', name) });
    const { stays = '' } = receipt['data'] as Record<string, string>;
    const namespace = instanceNamespaceOf('Foo', identity);
    assert.ok(stays.includes(`Account ${instanceIdOf(identity)}`) && stays.includes(`ConfigMap ${namespace}/foo`));
    const left = await fixture.landscape.workload.get({ ...at, namespace, name: 'foo' });
    assert.equal(left.metadata.labels?.[sdkNames.managedByLabel], undefined);
    assert.equal(fixture.bank.accounts.get(instanceIdOf(identity))?.isOwned, false);
    const home = tenantNamespace('default', name);
    const { items } = await fixture.landscape.platform.list({ ...accessRequests.ref, namespace: home });
    assert.deepEqual(
      items.map(({ metadata }) => [metadata.name, metadata.labels?.[sdkNames.handedOverLabel]]),
      [
        [`foo--${name}--mcp`, 'true'],
        [`foo--${name}--wl`, 'true'],
      ],
    );
  }
});
