import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { eventually } from '@chandlery/testing';
import { instanceIdOf } from '../../model/names.ts';
import { type FooWorld, startFooWorld } from '../../test-foo-world.ts';
import { fooConfigs } from '../../test-provider.ts';

const id = instanceIdOf({ namespace: 'default', name: 'a' });

const lookAgain = (world: FooWorld): Promise<unknown> =>
  world.patch('a', { metadata: { annotations: { 'openmcp.cloud/operation': 'reconcile' } } });

const isKnownAway = (world: FooWorld): Promise<unknown> =>
  eventually(async () => (await world.says('a', 'Ready', 'Reconciling')) === 'The bank has a break.');

async function goAway(world: FooWorld): Promise<void> {
  world.bank.isAway = true;
  await lookAgain(world);
  await isKnownAway(world);
}

/** The world is there again, with an account that is not as it was. */
async function comeBackDifferent(world: FooWorld): Promise<void> {
  world.bank.accounts.set(id, { size: 99, isOwned: true });
  world.bank.isAway = false;
  await lookAgain(world);
  await world.ready('a');
  assert.equal(world.bank.accounts.get(id)?.size, (await world.get('a')).spec.size ?? 1);
}

const driftCount = async ({ registry }: FooWorld): Promise<number> =>
  Number(/chandlery_provider_drift_total\{kind="Foo"\} (\d+)/.exec(await registry.render())?.[1] ?? 0);

describe('What differs after the world was away', () => {
  const cases: readonly {
    readonly why: string;
    readonly meanwhile?: (world: FooWorld) => Promise<unknown>;
    readonly drifts: number;
  }[] = [
    { why: 'is drift when nobody wished for anything else', drifts: 1 },
    {
      why: 'is no drift when the tenant wishes for something else',
      meanwhile: async world => {
        await world.patch('a', { spec: { size: 5 } });
        await eventually(async () => (await world.get('a')).status?.observedGeneration === 2);
      },
      drifts: 0,
    },
    {
      why: 'is no drift when the configuration is another one',
      meanwhile: async world => {
        const body = { spec: { greeting: 'ahoy' } };
        await world.landscape.platform.patch({ ...fooConfigs.ref, name: 'foo' }, { type: 'merge', body });
        await eventually(async () => (await world.get('a')).status?.configGeneration === 2);
      },
      drifts: 0,
    },
  ];
  for (const { why, meanwhile, drifts } of cases) {
    it(why, async () => {
      await using world = await startFooWorld();
      await world.create('a');
      await world.ready('a');
      await goAway(world);
      await meanwhile?.(world);
      await comeBackDifferent(world);
      await eventually(async () => (await world.events('a')).includes('Updated'));
      assert.equal(await driftCount(world), drifts);
      if (drifts > 0) await eventually(async () => (await world.events('a')).includes('DriftRepaired'));
    });
  }

  it('is drift also for a process that was not there before', async () => {
    await using world = await startFooWorld({ isStarted: false });
    {
      await using _first = await world.start();
      await world.create('a');
      await world.ready('a');
      await goAway(world);
    }
    await world.start();
    await comeBackDifferent(world);
    await eventually(async () => (await world.events('a')).includes('DriftRepaired'));
  });

  it('is no drift when the service was never ready', async () => {
    await using world = await startFooWorld();
    world.bank.isAway = true;
    await world.create('a');
    await isKnownAway(world);
    await comeBackDifferent(world);
    assert.equal(await driftCount(world), 0);
  });
});
