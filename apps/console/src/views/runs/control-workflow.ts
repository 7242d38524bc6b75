import { ApiFailure } from '../../api/api-failure.ts';
import { collectionPath, type KindAddress, objectPath } from '../../api/kinds.ts';
import { requestJson } from '../../api/request.ts';
import type { RunAction, RunState } from './run-actions.ts';
import { hasEnded, isSuspended, nodesOf, phaseOf, type WorkflowObject } from './workflow.ts';

/** A Workflow, and where it is. */
export interface PlacedWorkflow {
  readonly cluster: string;
  readonly kind: KindAddress;
  readonly workflow: WorkflowObject;
}

/** What decides which actions are possible. */
export function stateOfWorkflow(workflow: WorkflowObject): RunState {
  const { suspend, shutdown } = workflow.spec as { readonly suspend?: boolean; readonly shutdown?: string };
  return {
    isEnded: hasEnded(workflow),
    hasSucceeded: phaseOf(workflow) === 'Succeeded',
    isStarted: true,
    isSuspended: suspend === true || nodesOf(workflow).some(isSuspended),
    shutdown: shutdown === 'Stop' ? 'stop' : shutdown === 'Terminate' ? 'terminate' : undefined,
    isStanding: false,
  };
}

/** The verb that an action needs. */
export const verbOf = (action: RunAction): string =>
  action === 'resubmit' ? 'create' : action === 'retry' || action === 'resume' ? 'update' : 'patch';

/** Carries out an action, for one node where it is given. Returns the name of the Workflow that it concerns. */
export async function controlWorkflow(placed: PlacedWorkflow, action: RunAction, node?: string): Promise<string> {
  const { workflow } = placed;
  const { name = '' } = workflow.metadata;
  switch (action) {
    case 'suspend':
      return patchSpec(placed, { suspend: true });
    case 'stop':
      return patchSpec(placed, { shutdown: 'Stop' });
    case 'terminate':
      return patchSpec(placed, { shutdown: 'Terminate' });
    case 'resume':
      return replace(placed, current => resumed(current, node, new Date()));
    case 'retry': {
      const { retried } = await import('./again.ts');
      return replace(placed, current => retried(current, node));
    }
    case 'resubmit': {
      const { resubmitted } = await import('./again.ts');
      return create(placed, resubmitted(workflow, `${name.slice(0, 50)}-${Math.random().toString(36).slice(2, 7)}`));
    }
  }
}

const pathOf = ({ cluster, kind, workflow: { metadata } }: PlacedWorkflow): string =>
  objectPath(cluster, kind, { namespace: metadata.namespace ?? '', name: metadata.name ?? '' });

const nameOf = ({ metadata }: WorkflowObject): string => metadata.name ?? '';

const patchSpec = async (placed: PlacedWorkflow, spec: object): Promise<string> =>
  nameOf(
    await requestJson<WorkflowObject>(pathOf(placed), {
      method: 'PATCH',
      headers: { 'content-type': 'application/merge-patch+json' },
      body: { spec },
    }),
  );

const create = async ({ cluster, kind, workflow }: PlacedWorkflow, body: object): Promise<string> =>
  nameOf(
    await requestJson<WorkflowObject>(collectionPath(cluster, kind, workflow.metadata.namespace), {
      method: 'POST',
      body,
    }),
  );

/** The controller writes all the time while nodes change: then the change is made again. */
const maxAttempts = 10;

async function replace(placed: PlacedWorkflow, change: (workflow: WorkflowObject) => WorkflowObject): Promise<string> {
  for (let attempt = 1; ; attempt++) {
    const current = await requestJson<WorkflowObject>(pathOf(placed));
    try {
      return nameOf(await requestJson<WorkflowObject>(pathOf(placed), { method: 'PUT', body: change(current) }));
    } catch (error) {
      const isConflict = error instanceof ApiFailure && error.status === 409;
      if (!isConflict || attempt >= maxAttempts) throw error;
    }
  }
}

/** The Workflow with suspended nodes ended: all of them, or one. */
export function resumed(workflow: WorkflowObject, only: string | undefined, now: Date): WorkflowObject {
  const nodes = nodesOf(workflow).filter(node => isSuspended(node) && (only === undefined || node.id === only));
  const ended = nodes.map(node => [node.id, { ...node, phase: 'Succeeded', finishedAt: now.toISOString() }] as const);
  const { suspend, ...spec } = workflow.spec as { readonly suspend?: boolean } & WorkflowObject['spec'];
  return {
    ...workflow,
    spec: only === undefined || suspend === undefined ? spec : { ...spec, suspend },
    status: { ...workflow.status, nodes: { ...workflow.status?.nodes, ...Object.fromEntries(ended) } },
  };
}
