import type { KindDeclaration, KubeObject } from '@chandlery/api';
import { freeObject } from './free-schema.ts';
import { argoVersion, workflowsCluster, workflowsGroup } from './names.ts';

/** Changes of nodes by a client's PUT that the controller has not taken over yet. */
export interface NodeEdits {
  /** The workflow is to run again although it had completed. Default false. */
  readonly restart?: boolean;
  /** Nodes as the client wants them, by id. */
  readonly nodes?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Ids of nodes that the client removed. */
  readonly removed?: readonly string[];
}

/** A Workflow as it is stored: without its nodes. */
export interface WorkflowRecord extends KubeObject {
  spec: Readonly<Record<string, unknown>>;
  /** The status without nodes. */
  status?: Readonly<Record<string, unknown>>;
  edits?: NodeEdits;
  /** Rises when nodes have changed, so that watches deliver the Workflow. */
  nodesVersion?: number;
}

/** Where records are. */
export const workflowRecords = { group: workflowsGroup, version: argoVersion, plural: 'workflowrecords' } as const;

/** The kind of records. Clients use Workflow, which shows them. */
export const workflowRecordKind: KindDeclaration = {
  group: workflowRecords.group,
  kind: 'WorkflowRecord',
  plural: workflowRecords.plural,
  scope: 'Namespaced',
  servedIn: [workflowsCluster],
  versions: [
    {
      name: workflowRecords.version,
      schema: {
        type: 'object',
        description: 'A Workflow without its nodes, which are stored apart.',
        required: ['spec'],
        properties: {
          spec: freeObject('What is executed.'),
          status: freeObject('How far it is, without nodes.'),
          edits: freeObject('Changes of nodes by a client that the controller has not taken over yet.'),
          nodesVersion: {
            type: 'integer',
            format: 'int64',
            description: 'Rises when nodes have changed.',
          },
        },
      },
    },
  ],
};
