import { toError } from '@chandlery/api';
import {
  createExecution,
  type NodeStatus,
  parseWorkflow,
  restoreExecution,
  type WorkflowStatus,
} from '@chandlery/workflow';
import { type WorkflowRecord, workflowAnnotations } from '../../kinds/workflows/index.ts';
import { nodesOf } from '../../registry/workflows/node-store.ts';
import type { WorkflowRegistry } from '../../registry/workflows/workflow-registry.ts';
import type { WorkflowIdentity } from '../../workflow-ports.ts';
import { HostedWorkflow } from './hosted-workflow.ts';
import { maxStepWork } from './settings.ts';
import { type FindTemplate, referencedTemplates, storedTemplatesOf } from './stored-templates.ts';

export interface OpenDeps {
  readonly registry: WorkflowRegistry;
  readonly findTemplate: (namespace: string) => FindTemplate;
  readonly readConfigMap: (namespace: string) => (name: string, key: string) => string | undefined;
  /** What is wrong with a document, in Argo's words. */
  readonly validate: (record: WorkflowRecord, findTemplate: FindTemplate) => readonly string[];
}

/** A document that cannot be executed. */
export class InvalidSpec extends Error {}

export const identityOf = ({ metadata }: Pick<WorkflowRecord, 'metadata'>): WorkflowIdentity => ({
  uid: metadata.uid ?? '',
  name: metadata.name ?? '',
  namespace: metadata.namespace ?? '',
});

/** Begins to execute a workflow, or continues where it was. Throws `InvalidSpec`. */
export function openWorkflow(deps: OpenDeps, record: WorkflowRecord): HostedWorkflow {
  const identity = identityOf(record);
  const row = deps.registry.executions.get(identity.uid);
  const findTemplate = deps.findTemplate(identity.namespace);
  try {
    const templates = row?.spec.templates ?? referencedTemplates(record.spec, findTemplate);
    const options = {
      document: parseWorkflow(structuredClone({ ...record, apiVersion: 'argoproj.io/v1alpha1', kind: 'Workflow' })),
      ...identity,
      storedTemplates: storedTemplatesOf(templates),
      readConfigMap: deps.readConfigMap(identity.namespace),
      maxWork: maxStepWork,
      hasInertValues: record.metadata.annotations?.[workflowAnnotations.inertValues] === 'true',
    };
    if (row === undefined) {
      const [problem] = deps.validate(record, findTemplate);
      if (problem !== undefined) throw new InvalidSpec(problem);
      const nodes = storedNodes(deps.registry, identity.uid);
      const execution =
        nodes.length === 0 ? createExecution(options) : restoreExecution({ ...options, status: { phase: '' }, nodes });
      return new HostedWorkflow({ identity, execution, registry: deps.registry, templates });
    }
    const execution = restoreExecution({
      ...options,
      status: structuredClone(row.spec.status) as unknown as WorkflowStatus,
      nodes: storedNodes(deps.registry, identity.uid),
    });
    return new HostedWorkflow({ identity, execution, registry: deps.registry, templates });
  } catch (error) {
    throw error instanceof InvalidSpec ? error : new InvalidSpec(toError(error).message);
  }
}

/** Copies of the nodes: rows are frozen and shared, and the engine changes its own. */
const storedNodes = (registry: WorkflowRegistry, uid: string): NodeStatus[] =>
  nodesOf(registry, uid).map(node => structuredClone(node) as unknown as NodeStatus);
