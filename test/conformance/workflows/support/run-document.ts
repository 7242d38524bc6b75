import { eventually, type TestLandscape } from '@chandlery/testing';
import { parse } from 'yaml';

/** A node as tests compare it. */
export interface SeenNode {
  readonly name: string;
  readonly displayName: string;
  readonly type: string;
  readonly phase: string;
  readonly message?: string;
  readonly templateName?: string;
  readonly outputs?: {
    readonly parameters?: readonly { readonly name: string; readonly value?: string }[];
    readonly artifacts?: readonly { readonly name: string }[];
    readonly result?: string;
    readonly exitCode?: string;
  };
}

/** A Workflow as tests look at it. */
export interface SeenWorkflow {
  readonly metadata: { readonly name: string; readonly uid: string; readonly resourceVersion: string; readonly labels?: Readonly<Record<string, string>> };
  readonly spec: Readonly<Record<string, unknown>>;
  readonly status?: {
    readonly phase?: string;
    readonly message?: string;
    readonly progress?: string;
    readonly outputs?: SeenNode['outputs'];
    readonly nodes?: Readonly<Record<string, SeenNode>>;
  };
}

const base = '/clusters/platform/apis/argoproj.io/v1alpha1/namespaces/default/workflows';

/** The path of a Workflow. */
export const workflowPath = (name: string): string => `${base}/${name}`;

/** Creates the Workflow of a YAML document with kubectl's verbs, and returns its name. */
export async function submit(landscape: TestLandscape, document: string): Promise<string> {
  const { status, text } = await landscape.request(base, { body: parse(document) as object });
  if (status !== 201) throw new Error(`the workflow was rejected with ${status}: ${text}`);
  return (JSON.parse(text) as SeenWorkflow).metadata.name;
}

/** Reads a Workflow. */
export async function readWorkflow(landscape: TestLandscape, name: string): Promise<SeenWorkflow> {
  const { text } = await landscape.request(workflowPath(name));
  return JSON.parse(text) as SeenWorkflow;
}

/** Waits until a Workflow is as wanted. */
export async function untilWorkflow(
  landscape: TestLandscape,
  name: string,
  isWanted: (workflow: SeenWorkflow) => boolean,
): Promise<SeenWorkflow> {
  let last: SeenWorkflow | undefined;
  try {
    await eventually(
      async () => {
        last = await readWorkflow(landscape, name);
        return isWanted(last);
      },
      { what: `workflow ${name}`, timeoutMs: 60_000 },
    );
  } catch (error) {
    throw new Error(`workflow ${name} is ${JSON.stringify(last?.status, null, 1)}`, { cause: error });
  }
  return last as SeenWorkflow;
}

const completed = new Set(['Succeeded', 'Failed', 'Error']);

/** Executes a document to its end. */
export async function execute(landscape: TestLandscape, document: string): Promise<SeenWorkflow> {
  const name = await submit(landscape, document);
  return untilWorkflow(landscape, name, ({ status }) => completed.has(status?.phase ?? ''));
}

/** The nodes as lines `displayName type phase message`, by name. */
export const treeOf = ({ metadata, status }: SeenWorkflow): readonly string[] =>
  Object.values(status?.nodes ?? {})
    .map(({ name, type, phase, message }) => `${name.replace(metadata.name, 'wf')} ${type} ${phase}${message ? `: ${message}` : ''}`)
    .sort();

/** The outputs of a node, found by its display name. */
export const outputsOf = ({ status }: SeenWorkflow, displayName: string): SeenNode['outputs'] =>
  Object.values(status?.nodes ?? {}).find(node => node.displayName === displayName)?.outputs;
