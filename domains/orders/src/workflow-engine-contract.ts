import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';
import type { KubeObject } from '@chandlery/api';
import { eventually } from '@chandlery/testing';
import type { NodeStatus } from '@chandlery/workflow';
import { readLines } from './actions/orders/merge-logs.ts';
import { isCompleted } from './model/documents/observe-workflow.ts';
import { containersOf } from './model/documents/order-pods.ts';
import { nodesOf, statusOf } from './model/documents/workflow-nodes.ts';
import type { SubmittedWorkflow, WorkflowEngine } from './order-ports.ts';
import { caseDocument, type EngineCase, engineCases } from './test-engine-cases.ts';

/** An engine, and where its containers find files of this machine. */
export interface EngineUnderTest extends AsyncDisposable {
  readonly engine: WorkflowEngine;
  /** A folder that containers see. */
  readonly folder: string;
  /** How long the engine may take for one step. Default 60,000. */
  readonly stepTimeoutMs?: number;
}

/** What every engine does with Workflows of orders: the embedded one, a recorded Argo, and the genuine. */
export function workflowEngineContract(name: string, open: () => Promise<EngineUnderTest>): void {
  describe(name, () => {
    let tested: EngineUnderTest;
    before(async () => {
      tested = await open();
    });
    after(() => tested[Symbol.asyncDispose]());

    it('executes a document, and has its log when its pods may be gone', async () => {
      const run = await submit(tested, engineCases.outputs);
      const ended = await run.untilEnd();
      assert.equal(statusOf(ended).phase, 'Succeeded');
      assert.deepEqual(treeOf(ended), [
        'order Steps Succeeded',
        'order[0] StepGroup Succeeded',
        'order[0].make Pod Succeeded',
        'order[1] StepGroup Succeeded',
        'order[1].use Pod Succeeded',
      ]);
      assert.deepEqual(valuesOf(nodeOf(ended, 'make')), { value: 'made' });
      assert.deepEqual(await run.log(ended), ['making', 'used made']);
    });

    it('takes a document twice, and none of another order under its name', async () => {
      const first = await submit(tested, engineCases.twice);
      const again = await submit(tested, engineCases.twice);
      assert.equal(again.address.uid, first.address.uid);
      const document = caseDocument(engineCases.twice, tested.engine.placeOf(tenant).namespace, tested.folder);
      const annotations = Object.fromEntries(Object.keys(document.metadata.annotations ?? {}).map(key => [key, 'x']));
      const foreign = { ...document, metadata: { ...document.metadata, annotations } };
      await assert.rejects(tested.engine.submit(foreign, tenant), { code: 'Orders:conflict' });
      assert.equal(statusOf(await first.untilEnd()).phase, 'Succeeded');
    });

    it('stops what runs, and executes the exit handler', async () => {
      const run = await submit(tested, engineCases.stop);
      await run.until(workflow => nodeOf(workflow, run.name)?.phase === 'Running', 'its pod runs');
      await tested.engine.patchSpec(run.address, { shutdown: 'Stop' });
      const ended = await run.untilEnd();
      const { phase, message } = statusOf(ended);
      assert.deepEqual([phase, message], ['Failed', "Stopped with strategy 'Stop'"]);
      assert.equal(nodeOf(ended, run.name)?.phase, 'Failed');
      assert.equal(nodeOf(ended, `${run.name}.onExit`)?.phase, 'Succeeded');
    });

    it('waits for the outputs of a suspended node', async () => {
      const run = await submit(tested, engineCases.approve);
      const approve = 'displayName=approve';
      await run.until(workflow => nodeOf(workflow, 'approve')?.phase === 'Running', 'it is suspended');
      await assert.rejects(tested.engine.resume(run.address, approve), /has not been set and does not have a default/);
      const wrong = { selector: approve, parameters: { other: 'x' } };
      await assert.rejects(tested.engine.setOutputs(run.address, wrong), /is not expecting output parameter 'other'/);
      await tested.engine.setOutputs(run.address, { selector: approve, parameters: { answer: 'yes' } });
      await tested.engine.resume(run.address, approve);
      const ended = await run.untilEnd();
      assert.equal(statusOf(ended).phase, 'Succeeded');
      assert.deepEqual(valuesOf(nodeOf(ended, 'approve')), { answer: 'yes' });
      assert.deepEqual(await run.log(ended), ['answer yes']);
    });

    it('starts nothing while the whole is suspended', async () => {
      const run = await submit(tested, engineCases.suspended);
      await run.until(workflow => statusOf(workflow).phase === 'Running', 'it has begun');
      assert.deepEqual(nodesOf((await tested.engine.get(run.address)) ?? assert.fail()), []);
      await tested.engine.resume(run.address, undefined);
      assert.equal(statusOf(await run.untilEnd()).phase, 'Succeeded');
    });

    it('retries from the failure on', async () => {
      const run = await submit(tested, engineCases.retry);
      const failed = await run.untilEnd();
      assert.equal(statusOf(failed).phase, 'Failed');
      assert.match(nodeOf(failed, 'second')?.message ?? '', /exit code 1/);
      const { startedAt } = nodeOf(failed, 'first') ?? {};
      await writeFile(`${tested.folder}/ready`, '');
      await tested.engine.retry(run.address, {});
      const ended = await run.untilEnd('Succeeded');
      assert.equal(nodeOf(ended, 'first')?.startedAt, startedAt, 'what has succeeded is not executed again');
      assert.equal(nodeOf(ended, 'second')?.phase, 'Succeeded');
    });

    it('says why it does not execute a document', async () => {
      const run = await submit(tested, engineCases.invalid).catch((error: Error) => error);
      if (run instanceof Error) return assert.match(run.message, /template name 'missing' undefined/);
      const { phase, message = '' } = statusOf(await run.untilEnd());
      assert.equal(phase, 'Failed');
      assert.match(message, /^invalid spec: .*template name 'missing' undefined/);
    });

    it('notifies of changes, and of what is removed', async () => {
      const seen = new Set<string>();
      await using watch = tested.engine.watch(order => seen.add(order));
      await watch.synced;
      const run = await submit(tested, engineCases.removed);
      await eventually(() => seen.has(engineCases.removed.id) && watch.get(run.address) !== undefined);
      assert.deepEqual(
        watch.ofOrder(engineCases.removed.id).map(({ name: found }) => found),
        [run.name],
      );
      await tested.engine.remove(run.address);
      await tested.engine.remove(run.address);
      await eventually(() => watch.get(run.address) === undefined, { what: 'the removal is seen' });
      assert.equal(await tested.engine.get(run.address), undefined);
      await assert.rejects(tested.engine.patchSpec(run.address, { suspend: true }), { code: 'NotFound' });
    });
  });
}

/** The tenant of all orders of the suite. */
export const tenant = 'contract';

/** A Workflow that was handed in. */
export interface CaseRun {
  readonly name: string;
  readonly address: SubmittedWorkflow;
  until(isWanted: (workflow: KubeObject) => boolean, what: string): Promise<KubeObject>;
  untilEnd(phase?: string): Promise<KubeObject>;
  /** The lines of its containers. */
  log(workflow: KubeObject): Promise<readonly string[]>;
}

/** Hands the document of a case in. */
export async function submit(tested: EngineUnderTest, wanted: EngineCase): Promise<CaseRun> {
  const { engine, folder, stepTimeoutMs: timeoutMs = 60_000 } = tested;
  const address = await engine.submit(caseDocument(wanted, engine.placeOf(tenant).namespace, folder), tenant);
  const until: CaseRun['until'] = async (isWanted, what) => {
    let last: KubeObject | undefined;
    const isNow = async (): Promise<boolean> => {
      last = await engine.get(address);
      return last !== undefined && isWanted(last);
    };
    await eventually(isNow, { timeoutMs, pauseMs: 50, what }).catch((cause: unknown) => {
      throw new Error(`${what}: ${JSON.stringify(last?.['status'])}`, { cause });
    });
    return last ?? assert.fail();
  };
  const hasEnded = (workflow: KubeObject, phase?: string): boolean =>
    isCompleted(workflow) && (phase === undefined || statusOf(workflow).phase === phase);
  return {
    name: address.name,
    address,
    until,
    untilEnd: phase => until(workflow => hasEnded(workflow, phase), 'it has ended'),
    log: async workflow => {
      const lines: string[] = [];
      for (const container of containersOf(workflow)) {
        const bytes = (await engine.readLog({ ...container, cluster: address.cluster })) ?? assert.fail();
        for await (const { text } of readLines(bytes)) lines.push(text);
      }
      return lines.filter(line => line !== '');
    },
  };
}

/** The nodes as `name type phase`, with `order` for the name of the Workflow. */
export const treeOf = (workflow: KubeObject): readonly string[] =>
  nodesOf(workflow)
    .map(({ name, type, phase }) => `${name.replace(workflow.metadata.name ?? '', 'order')} ${type} ${phase}`)
    .sort();

const nodeOf = (workflow: KubeObject, displayName: string): NodeStatus | undefined =>
  nodesOf(workflow).find(node => node.displayName === displayName);

const valuesOf = (node: NodeStatus | undefined): Readonly<Record<string, unknown>> =>
  Object.fromEntries((node?.outputs?.parameters ?? []).map(({ name, value }) => [name, value]));
