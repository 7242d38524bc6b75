import { after, before, test } from 'node:test';
import { startTestLandscape, type TestLandscape } from '@chandlery/testing';
import { compileCache } from '../../durability/support/landscape-client.ts';
import { withSeed } from '../../durability/support/seeded.ts';
import { type ToldStep, tellStory, tellWithKills } from './support/run-story.ts';
import { startStoryWorld } from './support/story-world.ts';

/** Where platform A is, as long as nobody kills it with the service manager. */
let elsewhere: TestLandscape;
let told: readonly ToldStep[];

before(async () => {
  elsewhere = await startTestLandscape({ env: compileCache });
});
after(() => elsewhere[Symbol.asyncDispose]());

test('a database made in Kubernetes is used from Cloud Foundry, and everything ends clean', async () => {
  await using world = await startStoryWorld({ clusterName: 'undisturbed', elsewhere });
  told = await tellStory(world);
});

test('the same comes of it when the service manager is killed in the middle of every step', async () => {
  await using world = await startStoryWorld({ clusterName: 'killed', elsewhere });
  await tellWithKills(world, told, ({ tookMs }) => tookMs / 2);
});

// Two minutes more, and never the same twice: for whoever hunts, `CHANDLERY_TEST_SEED=1 npm test -- two-platforms`.
if (process.env.CHANDLERY_TEST_SEED !== undefined) {
  test('the same comes of it when the service manager and platform A are killed at moments that chance chooses', () =>
    withSeed(async random => {
      await using world = await startStoryWorld({ clusterName: 'killed-too' });
      const chance = ({ tookMs }: ToldStep) => (random.next() < 0.4 ? random.next() * 1.2 * tookMs : undefined);
      await tellWithKills(world, told, chance);
    }));
}
