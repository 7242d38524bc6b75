import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { eventually, type TestLandscape } from '@chandlery/testing';

interface SeenNode {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly phase: string;
  readonly message?: string;
  readonly nodeFlag?: { readonly retried?: boolean };
}

/** A Workflow as a client reads it. */
export interface SeenWorkflow {
  readonly metadata: { readonly name: string };
  readonly status?: {
    readonly phase?: string;
    readonly message?: string;
    readonly nodes?: Readonly<Record<string, SeenNode>>;
  };
}

const path = '/clusters/platform/apis/argoproj.io/v1alpha1/namespaces/default/workflows';
const completed = new Set(['Succeeded', 'Failed', 'Error']);

export const nodesOf = ({ status }: SeenWorkflow): readonly SeenNode[] => Object.values(status?.nodes ?? {});

/** Creates a Workflow; one that an earlier attempt created is as good. */
export async function submitWorkflow(landscape: TestLandscape, document: object): Promise<void> {
  await eventually(
    async () => {
      const { status, text } = await landscape.request(path, { body: document });
      assert.ok(status === 201 || status === 409, text);
      return true;
    },
    { what: 'a workflow to be created', timeoutMs: 60_000 },
  );
}

export const readWorkflow = async (landscape: TestLandscape, name: string): Promise<SeenWorkflow> =>
  (await landscape.request(`${path}/${name}`)).json<SeenWorkflow>();

/** Waits for the end of a Workflow. */
export async function untilCompleted(landscape: TestLandscape, name: string, timeoutMs: number): Promise<SeenWorkflow> {
  let last: SeenWorkflow | undefined;
  try {
    return await eventually(
      async () => {
        last = await readWorkflow(landscape, name);
        return completed.has(last.status?.phase ?? '') && last;
      },
      { what: `the end of ${name}`, timeoutMs, pauseMs: 100 },
    );
  } catch (error) {
    throw new Error(`${name} is ${JSON.stringify(last?.status, null, 1)}`, { cause: error });
  }
}

/** Waits until a Workflow is suspended at a step without an end of its own, and resumes it as Argo's command line does. */
export async function resumeWorkflow(landscape: TestLandscape, name: string, timeoutMs: number): Promise<void> {
  await eventually(
    async () => {
      const workflow = await readWorkflow(landscape, name);
      const approval = nodesOf(workflow).find(node => node.name.endsWith('.approve'));
      if (approval === undefined) return false;
      if (approval.phase !== 'Running') return true;
      const nodes = { ...workflow.status?.nodes, [approval.id]: { ...approval, phase: 'Succeeded' } };
      const body = { ...workflow, status: { ...workflow.status, nodes } };
      const { status } = await landscape.request(`${path}/${name}`, { method: 'PUT', body });
      return status === 200;
    },
    { what: `${name} to be resumed`, timeoutMs, pauseMs: 100 },
  );
}

/**
 * How a Workflow ended, whatever it is called and however often it was retried: the phases of all nodes but attempts, and
 * the messages of those that did not succeed.
 */
export function endOf(workflow: SeenWorkflow): readonly string[] {
  const { name } = workflow.metadata;
  const nodes = nodesOf(workflow)
    .filter(({ nodeFlag }) => nodeFlag?.retried !== true)
    .map(node => `${node.name.replace(name, 'wf')} ${node.type} ${node.phase}`);
  return [`${workflow.status?.phase}`, ...nodes.sort()];
}

/** Ids of the nodes whose processes started, in the order of the starts. */
export const readStarts = async (file: string): Promise<readonly string[]> =>
  (await readFile(file, 'utf8').catch(() => '')).split('\n').filter(line => line !== '');
