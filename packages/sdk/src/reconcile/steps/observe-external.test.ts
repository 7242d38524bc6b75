import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { eventually } from '@chandlery/testing';
import { instanceIdOf } from '../../model/names.ts';
import { type FooFixture, startFooFixture } from '../../test-foo-fixture.ts';
import { fooConfigs } from '../../test-provider.ts';

const id = instanceIdOf({ namespace: 'default', name: 'a' });

const lookAgain = (fixture: FooFixture): Promise<unknown> =>
  fixture.patch('a', { metadata: { annotations: { 'openmcp.cloud/operation': 'reconcile' } } });

const isKnownAway = (fixture: FooFixture): Promise<unknown> =>
  eventually(async () => (await fixture.says('a', 'Ready', 'Reconciling')) === 'The bank has a break.');

async function goAway(fixture: FooFixture): Promise<void> {
  fixture.bank.isAway = true;
  await lookAgain(fixture);
  await isKnownAway(fixture);
}

/** Makes the external system available again, with a changed account. */
async function comeBackDifferent(fixture: FooFixture): Promise<void> {
  fixture.bank.accounts.set(id, { size: 99, isOwned: true });
  fixture.bank.isAway = false;
  await lookAgain(fixture);
  await fixture.ready('a');
  assert.equal(fixture.bank.accounts.get(id)?.size, (await fixture.get('a')).spec.size ?? 1);
}

const driftCount = async ({ registry }: FooFixture): Promise<number> =>
  Number(/chandlery_provider_drift_total\{kind="Foo"\} (\d+)/.exec(await registry.render())?.[1] ?? 0);

describe('What differs after the world was away', () => {
  const cases: readonly {
    readonly why: string;
    readonly meanwhile?: (fixture: FooFixture) => Promise<unknown>;
    readonly drifts: number;
  }[] = [
    { why: 'is drift when the desired state is unchanged', drifts: 1 },
    {
      why: 'is no drift when the tenant changed the spec',
      meanwhile: async fixture => {
        await fixture.patch('a', { spec: { size: 5 } });
        await eventually(async () => (await fixture.get('a')).status?.observedGeneration === 2);
      },
      drifts: 0,
    },
    {
      why: 'is no drift when the configuration is another one',
      meanwhile: async fixture => {
        const body = { spec: { greeting: 'ahoy' } };
        await fixture.landscape.platform.patch({ ...fooConfigs.ref, name: 'foo' }, { type: 'merge', body });
        await eventually(async () => (await fixture.get('a')).status?.configGeneration === 2);
      },
      drifts: 0,
    },
  ];
  for (const { why, meanwhile, drifts } of cases) {
    it(why, async () => {
      await using fixture = await startFooFixture();
      await fixture.create('a');
      await fixture.ready('a');
      await goAway(fixture);
      await meanwhile?.(fixture);
      await comeBackDifferent(fixture);
      await eventually(async () => (await fixture.events('a')).includes('Updated'));
      assert.equal(await driftCount(fixture), drifts);
      if (drifts > 0) await eventually(async () => (await fixture.events('a')).includes('DriftRepaired'));
    });
  }

  it('is drift also for a process that was not there before', async () => {
    await using fixture = await startFooFixture({ isStarted: false });
    {
      await using _first = await fixture.start();
      await fixture.create('a');
      await fixture.ready('a');
      await goAway(fixture);
    }
    await fixture.start();
    await comeBackDifferent(fixture);
    await eventually(async () => (await fixture.events('a')).includes('DriftRepaired'));
  });

  it('is no drift when the service was never ready', async () => {
    await using fixture = await startFooFixture();
    fixture.bank.isAway = true;
    await fixture.create('a');
    await isKnownAway(fixture);
    await comeBackDifferent(fixture);
    assert.equal(await driftCount(fixture), 0);
  });
});
