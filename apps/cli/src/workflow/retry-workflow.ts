import { ChandleryError, isError } from '@chandlery/api';
import type { RetriedWorkflow, RetryOptions, WorkflowDocument, WorkflowStatus } from '@chandlery/workflow';
import { loadWorkflow } from './workflow-module.ts';
import { nodesOf, phaseOf, type WorkflowObject } from './workflow-objects.ts';

/** The Workflow as it is before it runs again: without its failures. Rejects with `NotRetryable`. */
export async function retried(workflow: WorkflowObject, options: RetryOptions): Promise<WorkflowObject> {
  const { nodes: _, ...status } = workflow.status ?? {};
  const document = workflow as unknown as WorkflowDocument;
  const { document: renewed, ...rest } = await compute(
    workflow,
    { document, status: status as WorkflowStatus },
    options,
  );
  const nodes = Object.fromEntries(rest.nodes.map(node => [node.id, node]));
  return { ...workflow, spec: renewed.spec, status: { ...rest.status, nodes } };
}

async function compute(
  workflow: WorkflowObject,
  stored: { readonly document: WorkflowDocument; readonly status: WorkflowStatus },
  options: RetryOptions,
): Promise<RetriedWorkflow> {
  const { retryWorkflow } = await loadWorkflow();
  try {
    return retryWorkflow({ ...stored, nodes: nodesOf(workflow) }, options);
  } catch (thrown) {
    if (!isError(thrown, 'invalid-command')) throw thrown;
    throw new ChandleryError('NotRetryable', `its phase is ${phaseOf(workflow)}`, {
      hint: 'A failed workflow can be retried; one that succeeded with --restart-successful and --node-field-selector.',
      cause: thrown,
    });
  }
}
