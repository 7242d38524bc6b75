import { anything, defineKind } from '@chandlery/api';
import { Type } from 'typebox';
import { rowStatus, uniqueId } from '../common.ts';
import { argoVersion, workflowsCluster, workflowsGroup } from './names.ts';

const declared = {
  group: workflowsGroup,
  version: argoVersion,
  servedIn: [workflowsCluster],
  uniqueKeys: [uniqueId],
} as const;

/** A node of a workflow's execution. */
export const workflowNodes = defineKind({
  ...declared,
  kind: 'WorkflowNode',
  description: 'A node of a Workflow, as it is shown in status.nodes.',
  spec: Type.Object({
    workflow: Type.String({ description: 'The uid of the Workflow.' }),
    node: anything('The node, as status.nodes shows it, with its first children.'),
  }),
  status: Type.Object({ ...rowStatus }),
});

/** Further children of a node: a list that grows costs no more than one page for each addition. */
export const workflowChildPages = defineKind({
  ...declared,
  kind: 'WorkflowChildPage',
  description: 'Further children of a node of a Workflow.',
  spec: Type.Object({
    workflow: Type.String({ description: 'The uid of the Workflow.' }),
    node: Type.String({ description: 'The id of the node.' }),
    index: Type.Integer({ description: 'The position of the page, from 1.' }),
    children: Type.Array(Type.String(), { description: 'Ids of children.' }),
  }),
  status: Type.Object({ ...rowStatus }),
});

/** An artifact in the built-in repository. The name of the object is a hash of namespace and key. */
export const workflowArtifacts = defineKind({
  ...declared,
  kind: 'WorkflowArtifact',
  description: 'An artifact that a Workflow has stored. Its bytes are in the blob store.',
  spec: Type.Object({
    workflow: Type.String({ description: 'The uid of the Workflow.' }),
    key: Type.String({ description: 'The key in the repository of the namespace.' }),
    digest: Type.String({ description: 'The SHA-256 of the bytes in hex.' }),
    size: Type.Integer({ format: 'int64', description: 'The number of bytes.' }),
  }),
  status: Type.Object({ ...rowStatus }),
});

/** What is known of a workflow's execution as a whole. */
export const workflowExecutions = defineKind({
  ...declared,
  kind: 'WorkflowExecution',
  description: 'The execution of a Workflow; its name is the uid of the Workflow.',
  spec: Type.Object({
    workflow: Type.String({ description: 'The name of the Workflow.' }),
    templates: Type.Optional(anything('The stored templates that it refers to, as they were when it started.')),
    status: anything('The status of the Workflow, without nodes.'),
  }),
  status: Type.Object({ ...rowStatus }),
});
