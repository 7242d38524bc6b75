import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { instanceIdOf } from '@chandlery/sdk';
import { longRun } from '@chandlery/testing';
import { type Census, growth } from './support/census.ts';
import { checkNoFragments } from './support/check-no-fragments.ts';
import { type CrashWorld, startCrashWorld } from './support/crash-world.ts';
import { Kills } from './support/kills.ts';
import { type Seeded, withSeed } from './support/seeded.ts';
import type { TenantLedger } from './support/tenant-ledger.ts';

const rounds = longRun(15, 7);
const lanes = 14;

/** Resolved one after the other: work runs beside the kills, and not ahead of them. */
type Starts = readonly PromiseWithResolvers<void>[];

/** Creates crates and deletes some, old ones and new ones; names come again. No two lanes use the same names. */
async function trade({ crates }: CrashWorld, random: Seeded, lane: number, starts: Starts): Promise<void> {
  for (const [round, { promise }] of starts.entries()) {
    await promise;
    await sleep(random.between(0, 3000));
    const old = `crate-${lane}-${round - random.between(1, 3)}`;
    const isThere = crates.wished.has(old);
    if (isThere && random.next() < 0.8) await crates.delete(old);
    const isAgain = round > 3 && !crates.wished.has(old) && random.next() < 0.3;
    const name = isAgain ? old : `crate-${lane}-${round}`;
    await crates.create(name);
    await sleep(random.between(0, 1000));
    if (random.next() < 0.3) await crates.delete(name);
  }
}

/** Builds docks and takes some away: the dock first, or its control plane at once with all that is in it. */
async function build({ docks, controlPlanes }: CrashWorld, random: Seeded, starts: Starts): Promise<void> {
  for (const [round, { promise }] of starts.entries()) {
    await promise;
    if (round % 3 !== 2) {
      await controlPlanes.create(`dock-${round}`);
      await sleep(random.between(0, 1000));
      await docks.create(`dock-${round}`);
      continue;
    }
    const name = random.pick([...docks.wished.keys()].filter(dock => dock !== 'first'));
    if (random.next() < 0.5) await docks.delete(name);
    else docks.wished.delete(name);
    await controlPlanes.delete(name);
  }
}

/** Kills the server and one of the providers in every round, in either order. */
async function killAround(kills: Kills, random: Seeded, starts: Starts): Promise<void> {
  for (const { resolve } of starts) {
    resolve();
    const provider = random.next() < 0.7 ? 'crates' : 'docks';
    const acts = [() => kills.killProvider(provider), () => kills.killServer()];
    if (random.next() < 0.5) acts.reverse();
    for (const act of acts) await act();
  }
}

/** What one of each is made of, found out in peace: with the first of them comes all that they share. */
async function calibrate(world: CrashWorld) {
  const { crates, docks, controlPlanes } = world;
  await crates.create('first');
  await controlPlanes.create('first');
  await docks.create('first');
  const base = await world.stillCensus();
  await crates.create('second');
  const withCrate = await world.stillCensus();
  await controlPlanes.create('second');
  await docks.create('second');
  const withDock = await world.stillCensus();
  for (const ledger of [crates, docks, controlPlanes]) await ledger.delete('second');
  await world.settle(base);
  return { base, eachCrate: growth(base, withCrate), eachDock: growth(withCrate, withDock) };
}

/** Whose they are, now that their numbers are right. */
function checkInstances({ crates, docks, processes }: CrashWorld, census: Census): void {
  const identities = (ledger: TenantLedger) => [...ledger.wished.keys()].map(name => ({ namespace: 'default', name }));
  const namesOf = (what: string, prefix: string): string[] =>
    (census.get(what) ?? []).filter(name => name.startsWith(prefix)).map(name => name.slice(prefix.length));
  assert.deepEqual(namesOf('machine file', '').sort(), identities(crates).map(instanceIdOf).sort());
  assert.deepEqual(
    namesOf('workload namespaces', 'workload/crate-').sort(),
    identities(crates).map(instanceIdOf).sort(),
  );
  assert.deepEqual(namesOf('workload namespaces', 'workload/dock-').sort(), identities(docks).map(instanceIdOf).sort());
  assert.deepEqual(
    namesOf('onboarding secrets', 'onboarding/default/crate-').sort(),
    [...crates.wished.keys()].map(name => `${name}-connection`).sort(),
  );
  const pods = processes
    .list()
    .filter(({ role }) => role === 'container')
    .map(({ podUid }) => podUid);
  assert.deepEqual(
    pods.sort(),
    namesOf('machine pod folder', '')
      .filter(uid => pods.includes(uid))
      .sort(),
  );
}

test('providers and the server that are killed at random moments leave nothing twice, stranded or behind', () =>
  withSeed(async (random, seed) => {
    await using world = await startCrashWorld();
    const { landscape, crates, docks, controlPlanes } = world;
    const empty = await world.stillCensus();
    await world.installProviders();
    const { base, eachCrate, eachDock } = await calibrate(world);

    const kills = new Kills(world, random.fork());
    const starts = Array.from({ length: rounds }, () => Promise.withResolvers<void>());
    await Promise.all([
      ...Array.from({ length: lanes }, (_, lane) => trade(world, random.fork(), lane, starts)),
      build(world, random.fork(), starts),
      killAround(kills, random.fork(), starts),
    ]);
    console.log(`seed ${seed}: ${kills.text}; ${crates.text} of crates, ${docks.text} of docks`);
    assert.ok(kills.server >= rounds && kills.provider >= rounds, kills.text);
    assert.ok(crates.creations >= lanes * rounds && crates.deletions >= 3 * rounds, crates.text);
    const settled = await world.settle(base, [
      { times: crates.wished.size - 1, each: eachCrate },
      { times: docks.wished.size - 1, each: eachDock },
    ]);
    checkInstances(world, settled);

    for (const ledger of [crates, docks, controlPlanes]) {
      await Promise.all([...ledger.wished.keys()].map(name => ledger.delete(name)));
    }
    await world.removeProviders();
    await world.settle(empty);
    assert.equal((await landscape.stop()).code, 0);
    assert.deepEqual(world.processes.list(), []);
    await checkNoFragments({ type: 'sqlite', folder: landscape.dataDir });
  }));
