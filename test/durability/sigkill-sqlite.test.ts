import { test } from 'node:test';
import { startTestLandscape } from '@chandlery/testing';
import { checkNoFragments } from './support/check-no-fragments.ts';
import { surviveCrashes } from './support/crash-rounds.ts';
import { withSeed } from './support/seeded.ts';

test('a server on SQLite that is killed under load loses nothing it has acknowledged, and watches resume without gap', () =>
  withSeed(async random => {
    await using landscape = await startTestLandscape();
    const crash = async (): Promise<void> => {
      await landscape.kill9();
      await landscape.restart();
    };
    await surviveCrashes({ landscape, random, crash });
    await checkNoFragments({ type: 'sqlite', folder: landscape.dataDir });
  }));
