/**
 * The kinds of Argo Workflows on the platform cluster, and those in which the controller stores what it knows.
 *
 * Workflow is a view of WorkflowRecord: the record has no nodes. They are rows of their own, joined when a Workflow is read.
 */
import type { KindDeclaration } from '@chandlery/api';
import { type WorkflowJoin, workflowKind } from './workflow.ts';
import { workflowArtifacts, workflowChildPages, workflowExecutions, workflowNodes } from './workflow-node.ts';
import { workflowRecordKind } from './workflow-record.ts';
import { clusterWorkflowTemplateKind, cronWorkflowKind, workflowTemplateKind } from './workflow-templates.ts';

export {
  argoApiVersion,
  argoGroup,
  artifactDrivers,
  workflowAnnotations,
  workflowLabels,
  workflowsCluster,
  workflowsGroup,
} from './names.ts';
export { type Workflow, type WorkflowJoin, workflowsRef } from './workflow.ts';
export {
  workflowArtifacts,
  workflowChildPages,
  workflowExecutions,
  workflowNodes,
} from './workflow-node.ts';
export { type NodeEdits, type WorkflowRecord, workflowRecords } from './workflow-record.ts';
export {
  type CronWorkflow,
  clusterWorkflowTemplatesRef,
  cronWorkflowsRef,
  type WorkflowTemplate,
  workflowTemplatesRef,
} from './workflow-templates.ts';

/** All kinds of workflows, to be declared to the kernel. */
export const workflowKinds = (join: WorkflowJoin): readonly KindDeclaration[] => [
  workflowRecordKind,
  workflowKind(join),
  workflowTemplateKind,
  clusterWorkflowTemplateKind,
  cronWorkflowKind,
  workflowNodes.declaration,
  workflowChildPages.declaration,
  workflowExecutions.declaration,
  workflowArtifacts.declaration,
];
