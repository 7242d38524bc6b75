import type { Column, KindDeclaration, KubeObject } from '@chandlery/api';
import { freeObject } from './free-schema.ts';
import { argoApiVersion, argoGroup, argoVersion, workflowsCluster } from './names.ts';
import { workflowRecords } from './workflow-record.ts';

/** A Workflow as clients see it. */
export interface Workflow extends KubeObject {
  spec: Readonly<Record<string, unknown>>;
  status?: Readonly<Record<string, unknown>>;
}

/** Where Workflows are. */
export const workflowsRef = { group: argoGroup, version: argoVersion, plural: 'workflows' } as const;

/** Joins what is stored apart: the status of nodes, which the stored record does not have. */
export interface WorkflowJoin {
  /** Returns the Workflow that a record stands for. */
  readonly show: (record: KubeObject) => KubeObject;
  /** Returns the record of a Workflow that a client wrote. */
  readonly store: (workflow: KubeObject) => KubeObject;
}

const columns: readonly Column[] = [
  { name: 'Status', type: 'string', jsonPath: '.status.phase', description: 'Status of the workflow' },
  { name: 'Age', type: 'date', jsonPath: '.status.startedAt', description: 'When the workflow was started' },
  { name: 'Message', type: 'string', jsonPath: '.status.message', description: 'Why it is in this status' },
];

/** Argo's command line resumes by PUT of the whole object: room for 20,000 nodes with outputs. */
const replaceLimits = { bytes: 24 * 1024 * 1024, values: 600_000 };

/** The kind Workflow: its objects are records whose nodes are joined on every read. */
export const workflowKind = (join: WorkflowJoin): KindDeclaration => ({
  group: argoGroup,
  kind: 'Workflow',
  plural: 'workflows',
  shortNames: ['wf'],
  scope: 'Namespaced',
  servedIn: [workflowsCluster],
  allowsCrdElsewhere: true,
  replaceLimits,
  viewOf: {
    group: workflowRecords.group,
    plural: workflowRecords.plural,
    show: record => ({ ...join.show(record), apiVersion: argoApiVersion, kind: 'Workflow' }),
    store: join.store,
  },
  versions: [
    {
      name: argoVersion,
      columns,
      schema: {
        type: 'object',
        description: 'A workflow: templates and the one that is executed first.',
        required: ['spec'],
        properties: {
          spec: freeObject('What is executed, as Argo Workflows defines it.'),
          status: freeObject('How far it is, with all nodes.'),
        },
      },
    },
  ],
});
