import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { eventually, longRun } from '@chandlery/testing';
import { expectedCensus, takeCensus } from './support/fleet-census.ts';
import { brokenVersion, newestVersion } from './support/fossils.ts';
import { killAtState } from './support/kill-at-state.ts';
import { type PlannedInstance, StoryFleet } from './support/story-fleet.ts';

const processes = longRun(20, 6);
const total = longRun(200, 60);
const censusTimeoutMs = 90_000;

/** Distinguishes processes of this run from those of others. */
const run = `r${randomBytes(3).toString('hex')}`;

const clusters = [
  { clusterId: 'eu-processes', product: 'dinosaurs', region: 'eu', type: 'processes' },
  { clusterId: 'eu-objects', product: 'fossils', region: 'eu', type: 'objects' },
  { clusterId: 'us-objects', product: 'fossils', region: 'us', type: 'objects' },
] as const;

/** Every tenth is a process; organisations and regions take turns. */
const plan = Array.from({ length: total }, (_, at): PlannedInstance => {
  const isProcess = at % 10 === 0 && at / 10 < processes;
  return {
    product: isProcess ? 'dinosaurs' : 'fossils',
    name: `${run}-${at}`,
    organisation: at % 20 < 10 ? 'acme' : 'globex',
    region: isProcess || at % 2 === 0 ? 'eu' : 'us',
  };
});

const part = <T>(list: readonly T[], no: number, of: number): readonly T[] =>
  list.slice((list.length * no) / of, (list.length * (no + 1)) / of);
const fossils = plan.filter(({ product }) => product === 'fossils');
const dinosaurs = plan.filter(({ product }) => product === 'dinosaurs');

/** Orders, outages and deletions, with real agents; whatever was killed, the end is the one without. */
describe('A fleet of two products in two regions, on three clusters, of two organisations', () => {
  let fleet: StoryFleet;
  before(async () => {
    fleet = await StoryFleet.start({ plan, clusters });
  });
  after(async () => {
    await fleet[Symbol.asyncDispose]();
  });

  /** Does something to each, and kills the server when the first of them is seen in a state. */
  const killIn = (
    state: string,
    planned: readonly PlannedInstance[],
    act: (each: PlannedInstance) => Promise<void>,
  ): Promise<void> =>
    killAtState(fleet.landscape, { state, names: new Set(planned.map(({ name }) => name)) }, () =>
      Promise.all(planned.map(act)),
    );
  const plane = (id: string) => fleet.planes.get(id) ?? assert.fail(id);
  const census = async (alive: readonly PlannedInstance[]): Promise<void> => {
    const expected = expectedCensus(fleet, alive);
    await eventually(
      async () => {
        assert.deepEqual(await takeCensus(fleet), expected);
        return true;
      },
      { timeoutMs: censusTimeoutMs, pauseMs: 200, what: `the census of ${alive.length} instances` },
    );
  };

  const order = (planned: PlannedInstance) => fleet.order(planned);
  for (const [no, state] of ['accepted', 'preparing', 'provisioning', 'ready'].entries())
    it(`takes orders although its server is killed when one is ${state}`, async () => {
      await killIn(state, part(plan, no, 4), order);
    });

  it('has all of them in the end, each once, and an agent that is killed changes nothing', async () => {
    await plane('eu-objects').killAgent();
    await plane('eu-objects').startAgent();
    await fleet.untilState(plan, 'ready');
    await census(plan);
  });

  it('has no room for one more', async () => {
    await assert.rejects(order({ ...(plan[1] as PlannedInstance), name: `${run}-more` }), /ClusterFull/);
  });

  it('rebuilds a cluster that is lost, and deletes what was deleted meanwhile', async () => {
    const lost = fossils.filter(({ region }) => region === 'us');
    await plane('us-objects').lose();
    const [deleted] = lost as [PlannedInstance];
    await fleet.delete(deleted);
    await fleet.untilState([deleted], 'deprovision');
    await plane('us-objects').replace();
    await fleet.untilState([deleted], undefined);
    await census(plan.filter(planned => planned !== deleted));
    await order(deleted);
    await fleet.untilState(plan, 'ready');
  });

  it('suspends and resumes although its server is killed', async () => {
    const some = [...part(fossils, 0, 4), ...part(dinosaurs, 0, 3)];
    const others = [...part(fossils, 1, 4), ...part(dinosaurs, 1, 3)];
    const both = [...some, ...others];
    await killIn('suspending', some, each => fleet.patch(each, { suspended: true }));
    await killIn('suspended', others, each => fleet.patch(each, { suspended: true }));
    await fleet.untilState(both, 'suspended');
    await killIn('resuming', both, each => fleet.patch(each, { suspended: false }));
    await fleet.untilState(both, 'ready');
    await census(plan);
  });

  it('survives its server when instances fail, and they recover', async () => {
    const some = part(fossils, 2, 4);
    await killIn('failed', some, each => fleet.patch(each, { fossil_version: brokenVersion }));
    await fleet.untilState(some, 'failed');
    await Promise.all(some.map(each => fleet.patch(each, { fossil_version: newestVersion })));
    await fleet.untilState(plan, 'ready');
    await census(plan);
  });

  const remove = (planned: PlannedInstance) => fleet.delete(planned);
  it('deletes a part without a trace although its server is killed', async () => {
    const some = part(plan, 0, 4);
    const others = part(plan, 1, 4);
    await killIn('deprovision', some, remove);
    await killIn('deleting', others, remove);
    await fleet.untilState([...some, ...others], undefined);
    await census(plan.filter(planned => !some.includes(planned) && !others.includes(planned)));
  });

  it('gives quota and room to others again, and ends empty', async () => {
    await Promise.all(plan.map(order));
    await fleet.untilState(plan, 'ready');
    await census(plan);
    await Promise.all(plan.map(remove));
    await fleet.untilState(plan, undefined);
    await census([]);
  });
});
