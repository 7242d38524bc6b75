import type { Column, KindDeclaration, KubeObject } from '@chandlery/api';
import { freeObject } from './free-schema.ts';
import { argoGroup, argoVersion, workflowsCluster } from './names.ts';

/** A WorkflowTemplate or ClusterWorkflowTemplate. */
export interface WorkflowTemplate extends KubeObject {
  spec: Readonly<Record<string, unknown>>;
}

/** A CronWorkflow. */
export interface CronWorkflow extends KubeObject {
  spec: Readonly<Record<string, unknown>>;
  status?: Readonly<Record<string, unknown>>;
}

const refOf = (plural: string) => ({ group: argoGroup, version: argoVersion, plural });

export const workflowTemplatesRef = refOf('workflowtemplates');
export const clusterWorkflowTemplatesRef = refOf('clusterworkflowtemplates');
export const cronWorkflowsRef = refOf('cronworkflows');

interface KindParts {
  readonly kind: string;
  readonly plural: string;
  readonly shortNames: readonly string[];
  readonly scope: 'Namespaced' | 'Cluster';
  readonly description: string;
  readonly columns?: readonly Column[];
  readonly hasStatusField?: boolean;
}

const argoKind = ({ description, columns, hasStatusField = false, ...names }: KindParts): KindDeclaration => ({
  group: argoGroup,
  ...names,
  servedIn: [workflowsCluster],
  allowsCrdElsewhere: true,
  versions: [
    {
      name: argoVersion,
      ...(columns && { columns }),
      schema: {
        type: 'object',
        description,
        required: ['spec'],
        properties: {
          spec: freeObject('As Argo Workflows defines it.'),
          ...(hasStatusField && { status: freeObject('What the controller has done with it.') }),
        },
      },
    },
  ],
});

export const workflowTemplateKind = argoKind({
  kind: 'WorkflowTemplate',
  plural: 'workflowtemplates',
  shortNames: ['wftmpl'],
  scope: 'Namespaced',
  description: 'Templates that workflows of the namespace refer to.',
});

export const clusterWorkflowTemplateKind = argoKind({
  kind: 'ClusterWorkflowTemplate',
  plural: 'clusterworkflowtemplates',
  shortNames: ['clusterwftmpl', 'cwft', 'cwftmpl'],
  scope: 'Cluster',
  description: 'Templates that workflows of all namespaces refer to.',
});

export const cronWorkflowKind = argoKind({
  kind: 'CronWorkflow',
  plural: 'cronworkflows',
  shortNames: ['cwf', 'cronwf'],
  scope: 'Namespaced',
  description: 'Creates workflows by schedule.',
  hasStatusField: true,
});
