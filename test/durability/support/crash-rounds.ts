import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@chandlery/client';
import { eventually, longRun, type TestLandscape } from '@chandlery/testing';
import { startWork } from './background-work.ts';
import { ClusterCreator } from './cluster-creator.ts';
import { Counter } from './counter.ts';
import { checkLeadsTo, selectEven } from './event-chain.ts';
import { Follower } from './follower.ts';
import { clientOf, configMaps } from './landscape-client.ts';
import type { Seeded } from './seeded.ts';
import { revisionOf, stepObject } from './step-object.ts';
import { Writer } from './writer.ts';

export interface CrashRoundsOptions {
  readonly landscape: TestLandscape;
  readonly random: Seeded;
  /** How to pull the plug; the landscape must serve again when it resolves. */
  readonly crash: (round: number) => Promise<void>;
}

const rounds = longRun(30, 6);

/** What happened, for the curious and for asserting that the test tested something. */
interface CrashReport {
  readonly acknowledged: number;
  readonly events: number;
  readonly reconnections: number;
}

/** Crashes a landscape again and again, and fails when anything that was acknowledged or watched got lost. */
export async function surviveCrashes(options: CrashRoundsOptions): Promise<void> {
  const { landscape } = options;
  // Ends well once, which leaves compiled code for the starts to come.
  await landscape.restart();
  const report = await runCrashRounds(options);
  console.log(`${rounds} rounds: ${JSON.stringify(report)}`);
  assert.ok(report.acknowledged > rounds * 10, 'hardly anything was written');
  assert.ok(report.reconnections >= rounds, 'the watcher was not cut off by the crashes');
  assert.equal((await landscape.stop()).code, 0);
}

/**
 * Lets many writers write, pulls the plug at a random moment, and compares; round after round on the same data, with
 * watchers that follow all the way.
 */
async function runCrashRounds({ landscape, random, crash }: CrashRoundsOptions): Promise<CrashReport> {
  await using client = clientOf(landscape, 'onboarding');
  await using platform = clientOf(landscape, 'platform');
  const start = (await client.list(configMaps)).metadata.resourceVersion ?? '';
  const followed = { client: () => client, collection: configMaps, revision: start };
  await using everything = new Follower(followed);
  await using impatient = new Follower({ ...followed, timeoutSeconds: 1 });
  await using even = new Follower({ ...followed, labelSelector: 'parity=even' });

  const writers = Array.from(
    { length: 6 },
    (_, no) => new Writer({ client: () => client, random: random.fork(), prefix: `w${no}` }),
  );
  const counter = new Counter('counter');
  await counter.create(client);
  const creator = new ClusterCreator({ platform, clientOf: name => clientOf(landscape, name) });
  await creator.start();

  let highest = 0;
  for (let round = 1; round <= rounds; round++) {
    await using work = startWork(stop => [
      ...writers.map(writer => writer.runUntilOutage(stop)),
      ...[1, 2].map(() => counter.runUntilOutage(() => client, random.fork(), stop)),
      creator.runUntilOutage(stop),
    ]);
    await acknowledgements(writers, random.between(1, 150));
    await sleep(random.between(0, 20));
    await crash(round);
    await work.stop();
    highest = await checkRound({ client, writers, counter, creator, highest });
  }

  const last = await client.create(configMaps, stepObject('last', 1));
  const final = await client.update(
    { ...configMaps, name: 'last' },
    stepObject('last', 2, last.metadata.resourceVersion),
  );
  const followers = [everything, impatient, even];
  await Promise.all(followers.map(follower => follower.reach('last', revisionOf(final))));
  checkLeadsTo(everything.events, (await client.list(configMaps)).items);
  assert.deepEqual(impatient.events, everything.events, 'two watchers saw different histories');
  assert.deepEqual(even.events, selectEven(everything.events), 'a watcher with a selector saw another history');
  return {
    acknowledged: totalOf(writers) + counter.acknowledged,
    events: everything.events.length,
    reconnections: everything.connections - 1,
  };
}

/** Waits until so many more writes have been acknowledged. */
async function acknowledgements(writers: readonly Writer[], count: number): Promise<void> {
  const goal = totalOf(writers) + count;
  await eventually(() => totalOf(writers) >= goal, {
    timeoutMs: 60_000,
    pauseMs: 1,
    what: 'writes to be acknowledged',
  });
}

const totalOf = (writers: readonly Writer[]): number =>
  writers.reduce((sum, { ledger }) => sum + ledger.acknowledged, 0);

interface Round {
  readonly client: Client;
  readonly writers: readonly Writer[];
  readonly counter: Counter;
  readonly creator: ClusterCreator;
  readonly highest: number;
}

/** Compares with everything acknowledged, and returns the highest acknowledged revision. */
async function checkRound({ client, writers, counter, creator, highest }: Round): Promise<number> {
  const { items, metadata } = await client.list(configMaps);
  for (const { ledger } of writers) ledger.settleAll(items);
  await counter.settle(client);
  await creator.settle();
  const received = Math.max(highest, Number(metadata.resourceVersion), ...writers.map(({ ledger }) => ledger.highest));
  const probe = await client.patch(
    { ...configMaps, name: 'probe' },
    {
      type: 'apply',
      body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'probe' }, data: { received: String(received) } },
    },
    { fieldManager: 'durability' },
  );
  assert.ok(
    revisionOf(probe) > received,
    `a new write got revision ${revisionOf(probe)}, but ${received} was known before`,
  );
  return revisionOf(probe);
}
