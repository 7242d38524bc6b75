import { eventually, type TestLandscape } from '@chandlery/testing';
import { type Case, type CaseCommand, documentsOf, type StoredDocument } from './cases.ts';
import type { Finished } from './snapshot.ts';

interface Workflow {
  readonly metadata: { readonly name: string };
  readonly spec: object;
  readonly status?: Finished['status'] & { readonly nodes?: Readonly<Record<string, StoredNode>> };
}

type StoredNode = Finished['nodes'][number] & {
  readonly displayName: string;
  readonly outputs?: { readonly parameters?: readonly { readonly name: string; readonly valueFrom?: object }[] };
};

const namespaced = '/namespaces/default';
const workflowPath = `/clusters/platform/apis/argoproj.io/v1alpha1${namespaced}/workflows`;
const paths: Readonly<Record<string, string>> = {
  ConfigMap: `/clusters/platform/api/v1${namespaced}/configmaps`,
  WorkflowTemplate: `/clusters/platform/apis/argoproj.io/v1alpha1${namespaced}/workflowtemplates`,
  ClusterWorkflowTemplate: '/clusters/platform/apis/argoproj.io/v1alpha1/clusterworkflowtemplates',
};
const endedPhases: ReadonlySet<string | undefined> = new Set(['Succeeded', 'Failed', 'Error']);

/** Submits a case to a server as a client of Kubernetes does, and reads the Workflow when it has ended. */
export async function runOnServer(landscape: TestLandscape, given: Case): Promise<Finished> {
  const { workflow, others } = documentsOf(given);
  for (const other of others) await create(landscape, other);
  const { status, text } = await landscape.request(workflowPath, { body: workflow });
  const name = given.metadata?.name ?? given.name;
  if (status !== 201) return refused(name, text);
  for (const command of given.commands ?? []) await carryOut(landscape, name, command);
  const ended = await waitFor(landscape, name, found => endedPhases.has(found.status?.phase));
  return { name, status: ended.status ?? {}, nodes: Object.values(ended.status?.nodes ?? {}) };
}

async function create(landscape: TestLandscape, document: StoredDocument): Promise<void> {
  const { status, text } = await landscape.request(paths[document.kind] ?? '', { body: document });
  if (status !== 201) throw new Error(`${document.kind} ${document.metadata.name}: ${text}`);
}

/** A document that is invalid is refused at once, where Argo lets it fail. */
function refused(name: string, text: string): Finished {
  const { message = '' } = JSON.parse(text) as { message?: string };
  const [, problem = message] = /(invalid spec: [\s\S]*)$/.exec(message) ?? [];
  return { name, status: { phase: 'Failed', message: problem }, nodes: [] };
}

async function waitFor(
  landscape: TestLandscape,
  name: string,
  isReached: (workflow: Workflow) => boolean,
): Promise<Workflow> {
  let last: Workflow | undefined;
  await eventually(
    async () => {
      last = JSON.parse((await landscape.request(`${workflowPath}/${name}`)).text) as Workflow;
      return isReached(last);
    },
    { what: `${name} gets there: ${JSON.stringify(last?.status)}`, timeoutMs: 120_000, pauseMs: 50 },
  );
  return last as Workflow;
}

const nodeCalled = ({ status }: Workflow, displayName: string): StoredNode | undefined =>
  Object.values(status?.nodes ?? {}).find(node => node.displayName === displayName && node.phase === 'Running');

/** Does what Argo's command line does: a merge patch of the spec, or a PUT of the whole object until there is no conflict. */
async function carryOut(landscape: TestLandscape, name: string, command: CaseCommand): Promise<void> {
  await eventually(
    async () => {
      const found = await waitFor(landscape, name, workflow => nodeCalled(workflow, command.when) !== undefined);
      const { status, text } = await landscape.request(`${workflowPath}/${name}`, requestOf(found, command));
      if (status !== 200 && status !== 409) throw new Error(text);
      return status === 200;
    },
    { what: `${name} takes ${command.do}` },
  );
}

function requestOf(
  found: Workflow,
  command: CaseCommand,
): { method: string; headers?: Record<string, string>; body: object } {
  const headers = { 'content-type': 'application/merge-patch+json' };
  if (command.do !== 'resume') return { method: 'PATCH', headers, body: { spec: { shutdown: command.do } } };
  const node = nodeCalled(found, command.when);
  const nodes = { ...found.status?.nodes, ...(node && { [node.id]: resumed(node, command) }) };
  return { method: 'PUT', body: { ...found, status: { ...found.status, nodes } } };
}

function resumed(node: StoredNode, { set = {} }: CaseCommand): object {
  const parameters = node.outputs?.parameters?.map(parameter => supplied(parameter, set));
  return { ...node, phase: 'Succeeded', ...(parameters && { outputs: { parameters } }) };
}

function supplied(
  parameter: { readonly name: string; readonly valueFrom?: { readonly default?: string } },
  given: Readonly<Record<string, string>>,
): object {
  const value = given[parameter.name] ?? parameter.valueFrom?.default;
  return value === undefined ? parameter : { name: parameter.name, value };
}
