import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '@chandlery/testing';
import { type StoryCensus, takeStoryCensus } from './census.ts';
import { deletePlatform, leavePlatform } from './ending-steps.ts';
import { openPlan, openToCloud, registerBrokers, registerPlatforms, share } from './operator-steps.ts';
import { rotateCredentials } from './rotation-step.ts';
import { patience, type StoryStep } from './story-step.ts';
import type { StoryWorld } from './story-world.ts';
import { bindOnCluster, orderOnCluster, useOnCloud } from './user-steps.ts';

/** The story, in its order. */
const steps: readonly StoryStep[] = [
  registerPlatforms,
  registerBrokers,
  openPlan,
  orderOnCluster,
  bindOnCluster,
  share,
  openToCloud,
  useOnCloud,
  rotateCredentials,
  leavePlatform,
  deletePlatform,
];

/** How a step went that nothing disturbed. */
export interface CompletedStep {
  readonly name: string;
  readonly tookMs: number;
  readonly census: StoryCensus;
}

/** Runs all steps of the story. */
export async function runStory(world: StoryWorld): Promise<readonly CompletedStep[]> {
  const completed: CompletedStep[] = [];
  for (const step of steps) {
    const from = performance.now();
    await doStep(step, world).catch((failure: unknown) => fail(step.name, failure, world));
    const tookMs = performance.now() - from;
    completed.push({ name: step.name, tookMs, census: await takeStoryCensus(world) });
  }
  return completed;
}

/**
 * Runs the story again, kills the service manager at a delay after the beginning of each step, and asserts after each
 * step the state of the undisturbed run. Undefined: that step is not disturbed.
 */
export async function runWithKills(
  world: StoryWorld,
  completed: readonly CompletedStep[],
  killAfterMs: (step: CompletedStep) => number | undefined,
): Promise<void> {
  for (const [at, step] of steps.entries()) {
    const model = completed[at];
    assert.ok(model !== undefined);
    const afterMs = killAfterMs(model);
    const killed = afterMs === undefined ? undefined : sleep(afterMs).then(() => world.killManager());
    const checked = Promise.all([doStep(step, world), killed]).then(async () => {
      await step.check(world);
      await sameAs(model, world);
    });
    await checked.catch((failure: unknown) => fail(`${step.name}, killed after ${afterMs ?? 'no'} ms`, failure, world));
  }
}

function fail(name: string, cause: unknown, world: StoryWorld): never {
  console.error(world.logs());
  throw new Error(`${name}: ${String(cause)}`, { cause });
}

async function doStep(step: StoryStep, world: StoryWorld): Promise<void> {
  await step.act(world);
  await step.check(world);
}

async function sameAs({ name, census }: CompletedStep, world: StoryWorld): Promise<void> {
  await eventually(
    async () => {
      assert.deepEqual(await takeStoryCensus(world), census);
      return true;
    },
    { ...patience, timeoutMs: 15_000, what: `everything to be as it should after "${name}"` },
  );
}
