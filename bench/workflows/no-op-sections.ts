import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '@chandlery/testing';
import {
  startTestController,
  type TestController,
} from '../../domains/orders/src/controllers/workflows/test-controller.ts';
import type { Section } from '../runtime/report.ts';
import { chain, fanOut } from './documents.ts';
import { keptBytes, measureCpu } from './measure-cpu.ts';
import type { WorkflowSizes } from './options.ts';

const aims = { cpuMsPerStep: 2, ratio: 1.5, delayMs: 50 };
/** Nodes whose name begins so run until the controller ends. */
const waiting = 'bench-wait';
/** The steps, their first group, and its pod. */
const nodesOfHeld = 3;
const settleMs = 1000;

/** Runs documents to their ends, all at once. */
async function execute(test: TestController, documents: readonly object[]): Promise<void> {
  const submitted = await Promise.all(documents.map(document => test.submit(document)));
  await Promise.all(submitted.map(({ uid }) => test.untilCompleted(uid)));
}

const repeat = (count: number, make: () => object): readonly object[] => Array.from({ length: count }, make);

/** A controller that has run long enough to be compiled. */
async function startWarm(warmUps: number): Promise<TestController> {
  const test = await startTestController({ endsAtOnce: ({ workflow }) => !workflow.name.startsWith(waiting) });
  for (let at = 0; at < warmUps; at++)
    await execute(
      test,
      repeat(4, () => chain(10)),
    );
  return test;
}

/** What a step costs when nodes do nothing. */
export async function measureSteps({ steps, workflows, warmUps }: WorkflowSizes): Promise<Section> {
  await using test = await startWarm(warmUps);
  const alone = await measureCpu(() => execute(test, [chain(steps)]));
  const together = await measureCpu(() =>
    execute(
      test,
      repeat(workflows, () => chain(10)),
    ),
  );
  const perStep = together.cpuMs / (workflows * 10);
  const aim = (value: number) => ({ text: `≤ ${aims.cpuMsPerStep} ms`, isMet: value <= aims.cpuMsPerStep });
  const stepAlone = alone.cpuMs / steps;
  return {
    title: 'Steps of a no-op runner, stored in SQLite',
    baseline: '',
    rows: [
      { what: `CPU of a step, one workflow of ${steps}`, unit: 'ms', ours: stepAlone, aim: aim(stepAlone) },
      { what: `CPU of a step, ${workflows} workflows of 10`, unit: 'ms', ours: perStep, aim: aim(perStep) },
    ],
    remarks: [
      'A step is two nodes: the group and the pod. Every step of a lone workflow is a durable commit of its own.',
    ],
  };
}

/** A wide loop: its time, its longest hold of the main thread, and what a node takes in memory. */
export async function measureFanOut({ wide, many, warmUps }: WorkflowSizes): Promise<Section> {
  await using test = await startWarm(warmUps);
  const narrow = await measureCpu(() => execute(test, [fanOut(wide)]));
  const before = keptBytes();
  const broad = await measureCpu(() => execute(test, [fanOut(many)]));
  const bytes = (keptBytes() - before) / many;
  const delayAim = (ms: number) => ({ text: `≤ ${aims.delayMs} ms`, isMet: ms <= aims.delayMs });
  const ratio = broad.cpuMs / many / (narrow.cpuMs / wide);
  return {
    title: `Wide loops of ${wide} and ${many}`,
    baseline: `with ${wide}`,
    rows: [
      { what: `CPU of ${wide} nodes`, unit: 'ms', ours: narrow.cpuMs },
      {
        what: `CPU of a node of ${many}`,
        unit: 'ms',
        ours: broad.cpuMs / many,
        baseline: narrow.cpuMs / wide,
        aim: { text: `≤ ${aims.ratio} ×`, isMet: ratio <= aims.ratio },
      },
      { what: `longest hold, ${wide} nodes`, unit: 'ms', ours: narrow.maxDelayMs, aim: delayAim(narrow.maxDelayMs) },
      { what: `longest hold, ${many} nodes`, unit: 'ms', ours: broad.maxDelayMs, aim: delayAim(broad.maxDelayMs) },
      { what: 'memory of a node that has ended', unit: 'KiB', ours: bytes / 1024 },
    ],
  };
}

/** What a step costs while other workflows run, or many other nodes exist. */
export async function measureTransitions(sizes: WorkflowSizes): Promise<Section> {
  const { few, many, fewWorkflows, workflows, steps, warmUps } = sizes;
  const besideNodes = async (count: number): Promise<number> => {
    await using test = await startWarm(warmUps);
    await execute(test, [fanOut(count)]);
    return (await measureCpu(() => execute(test, [chain(steps)]))).cpuMs / steps;
  };
  const besideWorkflows = async (count: number): Promise<number> => {
    await using test = await startWarm(warmUps);
    const held = { ...chain(3), metadata: { generateName: `${waiting}-` } };
    const running = await Promise.all(repeat(count, () => held).map(document => test.submit(document)));
    const hasBegun = ({ uid }: { readonly uid: string }): boolean =>
      test.registry.nodes.count('workflow', uid) === nodesOfHeld;
    await eventually(() => running.every(hasBegun), { what: 'the others to run', timeoutMs: 120_000 });
    // Their records are written a little later.
    await pause(settleMs);
    return (await measureCpu(() => execute(test, [chain(steps)]))).cpuMs / steps;
  };
  const row = (what: string, ours: number, baseline: number) => ({
    what,
    unit: 'ms',
    ours,
    baseline,
    aim: { text: `≤ ${aims.ratio} ×`, isMet: ours / baseline <= aims.ratio },
  });
  return {
    title: 'CPU of a step beside others',
    baseline: 'beside few',
    rows: [
      row(`${many} nodes, against ${few}`, await besideNodes(many), await besideNodes(few)),
      row(
        `${workflows} workflows that run, against ${fewWorkflows}`,
        await besideWorkflows(workflows),
        await besideWorkflows(fewWorkflows),
      ),
    ],
  };
}
