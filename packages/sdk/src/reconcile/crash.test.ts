import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { it } from 'node:test';
import type { Client } from '@chandlery/client';
import { accessRequests, clusterRequests, tenantNamespace } from '@chandlery/clusters/kinds';
import { eventually, longRun } from '@chandlery/testing';
import { instanceIdOf, instanceNamespaceOf, receiptName, sdkNames } from '../model/names.ts';
import { type FooWorld, startFooWorld } from '../test-foo-world.ts';
import { Fuse } from '../test-fuse.ts';
import { startReconciler } from './start-reconciler.ts';

/** A long run ends a process at every request; a usual one at every third, and chance chooses which ones. */
const stride = longRun(1, 3);
const firstCut = 1 + randomInt(stride);

const namesIn = async ({ landscape }: FooWorld, ref: typeof accessRequests.ref, namespace: string) =>
  (await landscape.platform.list({ ...ref, namespace })).items.map(({ metadata }) => metadata.name);

/** Runs a process that ends at its k-th request, or when the work is done; answers whether it was cut off. */
async function runUntilCrash(world: FooWorld, k: number, isDone: () => Promise<boolean>): Promise<boolean> {
  const fuse = new Fuse(k);
  {
    await using _ = startProcess(world, fuse.protect);
    await eventually(async () => fuse.isBlown || (await isDone()), { what: `request ${k}`, pauseMs: 2 });
  }
  if (!fuse.isBlown) return false;
  await using _ = startProcess(world, client => client);
  await eventually(isDone, { what: 'the second process', pauseMs: 2 });
  return true;
}

function startProcess({ definition, landscape }: FooWorld, protect: (client: Client) => Client): AsyncDisposable {
  const { platform, onboarding } = landscape;
  const connect = (kubeconfig: string): Client => protect(landscape.connect(kubeconfig));
  const clients = { platform: protect(platform), onboarding: protect(onboarding), connect };
  return startReconciler(definition, { provider: 'foo', ...clients });
}

const isReady = (world: FooWorld, name: string) => async (): Promise<boolean> =>
  (await world.get(name)).status?.phase === 'Ready';
const isGone = (world: FooWorld, name: string) => (): Promise<boolean> =>
  world.get(name).then(
    () => false,
    () => true,
  );

async function assertComplete(world: FooWorld, name: string): Promise<void> {
  const home = tenantNamespace('default', name);
  const id = instanceIdOf({ namespace: 'default', name });
  assert.deepEqual(await namesIn(world, accessRequests.ref, home), [`foo--${name}--mcp`, `foo--${name}--wl`]);
  assert.deepEqual(await namesIn(world, clusterRequests.ref, home), [name, `foo--${name}--wl`]);
  assert.deepEqual(world.bank.deeds, [`create ${id}`]);
  const namespace = instanceNamespaceOf('Foo', { namespace: 'default', name });
  const maps = await world.landscape.workload.list({ group: '', version: 'v1', plural: 'configmaps', namespace });
  assert.ok(maps.items.some(({ metadata }) => metadata.name === 'foo'));
}

async function assertNothingLeft(world: FooWorld, name: string): Promise<void> {
  const home = tenantNamespace('default', name);
  assert.deepEqual(await namesIn(world, accessRequests.ref, home), []);
  assert.deepEqual(await namesIn(world, clusterRequests.ref, home), [name]);
  assert.equal(world.bank.accounts.size, 0);
  const all = { group: '', version: 'v1', plural: 'namespaces' };
  const instance = instanceNamespaceOf('Foo', { namespace: 'default', name });
  const { items } = await world.landscape.workload.list(all);
  assert.ok(!items.some(({ metadata }) => metadata.name === instance));
}

it('A provider that ends at any request leaves nothing that the next one cannot finish', async () => {
  await using world = await startFooWorld({ isStarted: false, controlPlanes: {} });
  let isCut = true;
  for (let k = firstCut; isCut; k += stride) {
    const name = `c${k}`;
    world.bank.deeds.length = 0;
    await world.landscape.createControlPlane('default', name, 'mcp-a');
    await world.create(name);
    const isCutInCreate = await runUntilCrash(world, k, isReady(world, name));
    await assertComplete(world, name);
    await world.remove(name);
    const isCutInDelete = await runUntilCrash(world, k, isGone(world, name));
    await assertNothingLeft(world, name);
    isCut = isCutInCreate || isCutInDelete;
  }
});

it('A provider that ends while it lets go forgets nothing in the receipt', async () => {
  await using world = await startFooWorld({ isStarted: false, controlPlanes: {} });
  let isCut = true;
  for (let k = firstCut; isCut; k += stride) {
    const name = `o${k}`;
    const identity = { namespace: 'default', name };
    await world.landscape.createControlPlane('default', name, 'mcp-a');
    await world.create(name, { deletionPolicy: 'Orphan' });
    await runUntilCrash(world, Number.POSITIVE_INFINITY, isReady(world, name));
    await world.remove(name);
    isCut = await runUntilCrash(world, k, isGone(world, name));
    const at = { group: '', version: 'v1', plural: 'configmaps' };
    const receipt = await world.landscape.onboarding.get({ ...at, ...identity, name: receiptName('Foo', name) });
    const { stays = '' } = receipt['data'] as Record<string, string>;
    const namespace = instanceNamespaceOf('Foo', identity);
    assert.ok(stays.includes(`Account ${instanceIdOf(identity)}`) && stays.includes(`ConfigMap ${namespace}/foo`));
    const left = await world.landscape.workload.get({ ...at, namespace, name: 'foo' });
    assert.equal(left.metadata.labels?.[sdkNames.managedByLabel], undefined);
    assert.equal(world.bank.accounts.get(instanceIdOf(identity))?.isOwned, false);
    const home = tenantNamespace('default', name);
    const { items } = await world.landscape.platform.list({ ...accessRequests.ref, namespace: home });
    assert.deepEqual(
      items.map(({ metadata }) => [metadata.name, metadata.labels?.[sdkNames.handedOverLabel]]),
      [
        [`foo--${name}--mcp`, 'true'],
        [`foo--${name}--wl`, 'true'],
      ],
    );
  }
});
