import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { longRun, startTestLandscape, type TestLandscape, tempFolder } from '@chandlery/testing';
import { type CrashPlaces, crashDocument, type Shape, semaphoreMap, shapes } from './support/crash-documents.ts';
import {
  endOf,
  nodesOf,
  readStarts,
  resumeWorkflow,
  type SeenWorkflow,
  submitWorkflow,
  untilCompleted,
} from './support/crash-workflows.ts';
import { type Seeded, withSeed } from './support/seeded.ts';

const workflowCount = longRun(200, 21);
const killCount = longRun(10, 3);
const endTimeoutMs = longRun(400_000, 120_000);

interface Planned {
  readonly name: string;
  readonly shape: Shape;
}

const planOf = (prefix: string, count: number): readonly Planned[] =>
  Array.from({ length: count }, (_, at) => {
    const shape = shapes[at % shapes.length] ?? 'loop';
    return { name: `${prefix}-${at}-${shape}`, shape };
  });

/** Lets workflows run to their ends. */
async function finish(landscape: TestLandscape, plan: readonly Planned[]): Promise<readonly SeenWorkflow[]> {
  const suspended = plan.filter(({ shape }) => shape === 'suspend');
  await Promise.all(suspended.map(({ name }) => resumeWorkflow(landscape, name, endTimeoutMs)));
  const ended: SeenWorkflow[] = [];
  for (const { name } of plan) ended.push(await untilCompleted(landscape, name, endTimeoutMs));
  return ended;
}

async function createSemaphore(landscape: TestLandscape): Promise<void> {
  const { name, key, limit } = semaphoreMap;
  const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { [key]: String(limit) } };
  const answer = await landscape.request('/clusters/platform/api/v1/namespaces/default/configmaps', { body });
  assert.equal(answer.status, 201, answer.text);
}

/** Kills the server again and again, at any moment: also while it starts. */
async function killOften(landscape: TestLandscape, random: Seeded): Promise<void> {
  for (let kill = 0; kill < killCount; kill++) {
    await pause(random.between(0, 2500));
    await landscape.kill9();
    await landscape.restart();
  }
}

/** Each process of a node started once, and each node that says so has run. */
function checkStarts(workflow: SeenWorkflow, starts: readonly string[]): void {
  const { name } = workflow.metadata;
  const own = starts.filter(id => id.startsWith(`${name}-`));
  assert.equal(new Set(own).size, own.length, `a node of ${name} ran twice: ${own.join(' ')}`);
  const started = new Set(own);
  for (const { id, type, phase } of nodesOf(workflow)) {
    if (type !== 'Pod') continue;
    if (phase !== 'Error') assert.ok(started.has(id), `${id} is ${phase} and did not run`);
    started.delete(id);
  }
  assert.deepEqual([...started], [], `${name} does not know of nodes that ran`);
}

describe('Workflows on a server that is killed at random moments', () => {
  it('end as without the kills, and no node runs twice unless a retry asks for it', () =>
    withSeed(async random => {
      await using folder = await tempFolder();
      await using landscape = await startTestLandscape();
      const places: CrashPlaces = {
        starts: folder.join('starts'),
        lockFile: folder.join('lock'),
        overlaps: folder.join('overlaps'),
      };
      await createSemaphore(landscape);
      const submit = ({ name, shape }: Planned) => submitWorkflow(landscape, crashDocument(shape, name, places));
      const undisturbed = planOf('calm', shapes.length);
      await Promise.all(undisturbed.map(submit));
      const expected = new Map(
        (await finish(landscape, undisturbed)).map((workflow, at) => [undisturbed[at]?.shape, endOf(workflow)]),
      );
      const plan = planOf('crash', workflowCount);
      await Promise.all([killOften(landscape, random), ...plan.map(submit)]);
      const ended = await finish(landscape, plan);
      const starts = await readStarts(places.starts);
      for (const [at, workflow] of ended.entries()) {
        checkStarts(workflow, starts);
        assert.deepEqual(endOf(workflow), expected.get(plan[at]?.shape), workflow.metadata.name);
      }
      assert.deepEqual(await readStarts(places.overlaps), [], 'two nodes held the mutex at once');
      const last: readonly Planned[] = [
        { name: 'last-mutex', shape: 'mutex' },
        { name: 'last-semaphore', shape: 'semaphore' },
      ];
      await Promise.all(last.map(submit));
      for (const workflow of await finish(landscape, last)) assert.equal(workflow.status?.phase, 'Succeeded');
    }));
});
