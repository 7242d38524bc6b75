import { test } from 'node:test';
import { startPostgres, startTestLandscape } from '@chandlery/testing';
import { checkNoFragments } from './support/check-no-fragments.ts';
import { surviveCrashes } from './support/crash-rounds.ts';
import { withSeed } from './support/seeded.ts';

/** In some rounds the database crashes together with the server. */
const databaseCrashEvery = 6;

test('a server on PostgreSQL that is killed under load loses nothing it has acknowledged, and watches resume without gap', () =>
  withSeed(async random => {
    await using postgres = await startPostgres();
    await using landscape = await startTestLandscape({ database: postgres.url });
    const crash = async (round: number): Promise<void> => {
      const hasDatabaseCrash = round % databaseCrashEvery === 0;
      await Promise.all([landscape.kill9(), ...(hasDatabaseCrash ? [postgres.crash()] : [])]);
      await postgres.start();
      await landscape.restart();
    };
    await surviveCrashes({ landscape, random, crash });
    await checkNoFragments({ type: 'postgres', url: postgres.url });
  }));
