import { ChandleryError, isError, type KubeObject } from '@chandlery/api';
import type { Client, HttpClient, ObjectRef } from '@chandlery/client';
import { workflowsCluster, workflowsRef } from '@chandlery/orders/kinds';
import type { NodeStatus, WorkflowSpec, WorkflowStatus } from '@chandlery/workflow';
import type { CommandContext } from '../command.ts';
import { connectTo } from '../landscape/connect-to.ts';

/** A Workflow with the status of its nodes. */
export interface WorkflowObject extends KubeObject {
  readonly spec: WorkflowSpec;
  readonly status?: Partial<WorkflowStatus> & { readonly nodes?: Readonly<Record<string, NodeStatus>> };
}

/** Stands for the newest Workflow of the namespace, as in Argo's command line. */
const latest = '@latest';

const endPhases: ReadonlySet<string> = new Set(['Succeeded', 'Failed', 'Error']);

/** A client of the logical cluster on which workflows run. */
export const connectWorkflows = (context: CommandContext): HttpClient => connectTo(context, workflowsCluster);

/** The namespace that a command line means. */
export const namespaceOf = ({ flags }: CommandContext): string => flags.text('namespace') ?? 'default';

/** The phase of a Workflow; `Pending` before the controller has seen it. */
export const phaseOf = ({ status }: WorkflowObject): string => status?.phase || 'Pending';

/** Whether a Workflow has ended. */
export const hasEnded = (workflow: WorkflowObject): boolean => endPhases.has(phaseOf(workflow));

/** The nodes of a Workflow. */
export const nodesOf = ({ status }: WorkflowObject): readonly NodeStatus[] => Object.values(status?.nodes ?? {});

export const refOf = ({ metadata: { namespace = '', name = '' } }: WorkflowObject): ObjectRef => ({
  ...workflowsRef,
  namespace,
  name,
});

/** All Workflows of a namespace, the newest first. */
export async function listWorkflows(client: Client, namespace: string): Promise<readonly WorkflowObject[]> {
  const all = await Array.fromAsync(client.listAll<WorkflowObject>({ ...workflowsRef, namespace }));
  return all.toSorted((one, other) => (createdAt(one) < createdAt(other) ? 1 : -1));
}

/** Creation is known to the second; of those of one second the start decides, and what has not started is the newest. */
const createdAt = ({ metadata, status }: WorkflowObject): string =>
  `${metadata.creationTimestamp ?? ''} ${status?.startedAt ?? '~'}`;

/** The Workflow of a name, or the newest for `@latest`. Rejects with `NotFound`. */
export async function findWorkflow(client: Client, namespace: string, name: string): Promise<WorkflowObject> {
  const found = name === latest ? (await listWorkflows(client, namespace))[0] : undefined;
  if (found !== undefined) return found;
  try {
    if (name !== latest) return await client.get<WorkflowObject>({ ...workflowsRef, namespace, name });
  } catch (thrown) {
    if (!isError(thrown, 'NotFound')) throw thrown;
  }
  const what = name === latest ? 'there is no workflow' : `there is no workflow "${name}"`;
  throw new ChandleryError('NotFound', `${what} in namespace "${namespace}"`, {
    hint: `See what there is with "npx chandlery workflow get -n ${namespace}".`,
  });
}
