import { after, before, test } from 'node:test';
import { startTestLandscape, type TestLandscape } from '@chandlery/testing';
import { compileCache } from '../../durability/support/landscape-client.ts';
import { withSeed } from '../../durability/support/seeded.ts';
import { type CompletedStep, runStory, runWithKills } from './support/run-story.ts';
import { startStoryWorld } from './support/story-world.ts';

/** The landscape of platform A, separate from the one that the story kills. */
let elsewhere: TestLandscape;
let completed: readonly CompletedStep[];

before(async () => {
  elsewhere = await startTestLandscape({ env: compileCache });
});
after(() => elsewhere[Symbol.asyncDispose]());

test('a database made in Kubernetes is used from Cloud Foundry, and everything ends clean', async () => {
  await using world = await startStoryWorld({ clusterName: 'undisturbed', elsewhere });
  completed = await runStory(world);
});

test('the same comes of it when the service manager is killed in the middle of every step', async () => {
  await using world = await startStoryWorld({ clusterName: 'killed', elsewhere });
  await runWithKills(world, completed, ({ tookMs }) => tookMs / 2);
});

// A random run of two more minutes: `CHANDLERY_TEST_SEED=1 npm test -- two-platforms`.
if (process.env.CHANDLERY_TEST_SEED !== undefined) {
  test('the same comes of it when the service manager and platform A are killed at moments that chance chooses', () =>
    withSeed(async random => {
      await using world = await startStoryWorld({ clusterName: 'killed-too' });
      const chance = ({ tookMs }: CompletedStep) => (random.next() < 0.4 ? random.next() * 1.2 * tookMs : undefined);
      await runWithKills(world, completed, chance);
    }));
}
