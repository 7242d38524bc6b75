import { resubmitWorkflow, retryWorkflow, type StoredWorkflow, type WorkflowDocument } from '@chandlery/workflow';
import { nodesOf, type WorkflowObject } from './workflow.ts';

const storedOf = (workflow: WorkflowObject): StoredWorkflow => {
  const { nodes: _, ...status } = workflow.status ?? {};
  return {
    document: workflow as unknown as WorkflowDocument,
    status: { phase: '', ...status },
    nodes: nodesOf(workflow),
  };
};

/** The Workflow without its failures, or without what succeeded after one node. */
export function retried(workflow: WorkflowObject, node?: string): WorkflowObject {
  const options = node === undefined ? {} : { restartSuccessful: true, selector: `id=${node}` };
  const { document, status, nodes } = retryWorkflow(storedOf(workflow), options);
  return {
    ...workflow,
    spec: document.spec,
    status: { ...status, nodes: Object.fromEntries(nodes.map(each => [each.id, each])) },
  };
}

/** The same once more, under another name. */
export function resubmitted(workflow: WorkflowObject, name: string): object {
  const { metadata, spec } = resubmitWorkflow(storedOf(workflow), { name }).document;
  const { apiVersion, kind } = workflow;
  return { apiVersion, kind, metadata, spec };
}
