import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { LandscapeAnswer } from '@chandlery/testing';
import { base, collection, deleted, RacingFleet, ready } from './support/racing-fleet.ts';

const rounds = 5;
const competitors = 20;
const numbers = Array.from({ length: competitors }, (_, at) => at);
const suspended = { type: 'Ready', status: 'False', reason: 'Suspended' };

/** Requests that come to two replicas on one database at the same time. */
describe('Two replicas of the fleet manager', () => {
  let fleet: RacingFleet;
  before(async () => {
    fleet = await RacingFleet.start();
  });
  after(async () => {
    await fleet[Symbol.asyncDispose]();
  });

  const races = [
    { what: 'one name', order: (round: number) => () => `same-${round}`, options: {}, code: 36 },
    { what: 'the last quota unit', order: () => (at: number) => `quota-${at}`, options: { as: 'single' }, code: 5 },
    {
      what: 'the last unit of a region',
      order: () => (at: number) => `region-${at}`,
      options: { region: 'narrow' },
      code: 24,
    },
    {
      what: 'the last unit of a cluster',
      order: () => (at: number) => `cluster-${at}`,
      options: { region: 'one-cluster' },
      code: 24,
    },
  ];
  for (const { what, order, options, code } of races)
    it(`accept one of ${competitors} orders for ${what}, and free it with the instance`, async () => {
      for (let round = 0; round < rounds; round++) {
        const nameOf = order(round);
        const answers = await Promise.all(numbers.map(at => fleet.order(at % 2, nameOf(at), options)));
        assertOneWinner(answers, code);
        await fleet.clear();
      }
    });

  it('let a delete win over reports that come at the same time, and nothing revives the instance', async () => {
    const ids = await fleet.provision(numbers.map(at => `reported-${at}`));
    await Promise.all(
      ids.flatMap((id, at) => [fleet.report(at % 2, id, ready), expectStatus(fleet.remove((at + 1) % 2, id), 202)]),
    );
    for (const id of ids) await fleet.untilState(id, 'deprovision');
    await Promise.all(ids.flatMap((id, at) => [fleet.report(at % 2, id, deleted), fleet.report(1, id, ready)]));
    for (const id of ids) await fleet.untilState(id, undefined);
    await Promise.all(ids.flatMap(id => [fleet.report(0, id, ready), fleet.report(1, id, suspended)]));
    for (const id of ids) assert.equal(await fleet.stateOf(0, id), undefined);
    await fleet.clear();
  });

  it('let a delete win over an admin PATCH that comes at the same time, whichever is first', async () => {
    const ids = await fleet.provision(numbers.map(at => `patched-${at}`));
    for (const id of ids) await fleet.report(0, id, ready);
    for (const id of ids) await fleet.untilState(id, 'ready');
    const patch = (at: number) => (at % 4 < 2 ? { suspended: true } : { dinosaur_version: '1.0.0' });
    await Promise.all(
      ids.flatMap((id, at) => [
        expectStatus(
          fleet.ask((at + 1) % 2, 'PATCH', `${base}/admin/dinosaurs/${id}`, { body: patch(at) }),
          200,
          400,
          404,
        ),
        expectStatus(fleet.remove(at % 2, id), 202),
      ]),
    );
    for (const id of ids) await fleet.untilState(id, 'deprovision');
    await Promise.all(ids.flatMap((id, at) => [fleet.report(at % 2, id, suspended), fleet.report(1, id, deleted)]));
    for (const id of ids) await fleet.untilState(id, undefined);
    await fleet.clear();
  });

  it('let a stray Deleted remove only what was deleted', async () => {
    const ids = await fleet.provision(['stray-0', 'stray-1']);
    await Promise.all(ids.flatMap((id, at) => [fleet.report(at, id, deleted), fleet.report(1 - at, id, ready)]));
    for (const id of ids) await fleet.untilState(id, 'ready');
    await fleet.clear();
  });

  it('give an instance to one owner, although two replicas are asked to give it away and to delete it', async () => {
    const ids = await fleet.provision(numbers.map(at => `given-${at}`));
    const answers = await Promise.all(
      ids.flatMap((id, at) => [
        fleet.ask(at % 2, 'PATCH', `${collection}/${id}`, { as: 'wide', body: { owner: 'user-of-wide' } }),
        fleet.remove((at + 1) % 2, id),
      ]),
    );
    for (const { status, text } of answers) assert.ok([200, 202, 400, 403].includes(status), `${status} ${text}`);
    for (const id of ids) await fleet.untilState(id, 'deprovision');
    await fleet.clear();
  });
});

function assertOneWinner(answers: readonly LandscapeAnswer[], code: number): void {
  const [winners, losers] = [answers.filter(isAccepted), answers.filter(answer => !isAccepted(answer))];
  assert.equal(winners.length, 1, answers.map(({ text }) => text).join('\n'));
  for (const { text } of losers) assert.match(text, new RegExp(`"DINOSAURS-MGMT-${code}"`));
}

const isAccepted = ({ status }: LandscapeAnswer): boolean => status === 202;

async function expectStatus(asked: Promise<LandscapeAnswer>, ...expected: readonly number[]): Promise<void> {
  const { status, text } = await asked;
  assert.ok(expected.includes(status), `${status} ${text}`);
}
