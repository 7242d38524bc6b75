import type { KindDeclaration, KubeObject, StructuralSchema } from '@chandlery/api';

/** The logical cluster where the landscape itself is described. */
export const platformCluster = 'platform';
/** The logical cluster where tenants ask for things. */
export const onboardingCluster = 'onboarding';

export const logicalClusterResource = 'core.chandlery.io/logicalclusters';

/** Finalizer that keeps a LogicalCluster until its contents are deleted. */
export const contentsFinalizer = 'core.chandlery.io/contents';

/** Annotation on a LogicalCluster in deletion: remove its objects without waiting for their finalizers. */
export const forceAnnotation = 'core.chandlery.io/force-deletion';

/** How a logical cluster shows a part of another one. */
export interface ViewDeclaration {
  base: string;
  namespaceSelector: { matchLabels: Record<string, string> };
  resources?: string[];
  objects?: string[];
}

export interface LogicalCluster extends KubeObject {
  spec?: {
    view?: ViewDeclaration;
    displayName?: string;
    admins?: { kind: 'User' | 'Group'; name: string }[];
  };
  status?: {
    phase?: string;
    conditions?: { type: string; status: string; reason?: string; message?: string; lastTransitionTime?: string }[];
  };
}

const viewSchema: StructuralSchema = {
  type: 'object',
  description:
    'Makes it a view: it holds no objects but shows those of some namespaces of another logical cluster, with the rights that users have there. Can be set only when it is created.',
  required: ['base', 'namespaceSelector'],
  properties: {
    base: { type: 'string', minLength: 1, description: 'The logical cluster that holds the objects; not a view.' },
    namespaceSelector: {
      type: 'object',
      description: "Which of the base's namespaces belong to the view.",
      required: ['matchLabels'],
      properties: {
        matchLabels: {
          type: 'object',
          minProperties: 1,
          maxProperties: 1,
          additionalProperties: { type: 'string', maxLength: 63 },
          description: 'One label and its value.',
        },
      },
    },
    resources: {
      type: 'array',
      maxItems: 1000,
      'x-kubernetes-list-type': 'set',
      description:
        'What is served besides namespaces and the definitions of served kinds, as plural.group: foos.example.com, configmaps.',
      items: { type: 'string', minLength: 1, maxLength: 320 },
    },
    objects: {
      type: 'array',
      maxItems: 100,
      'x-kubernetes-list-type': 'set',
      description:
        'Cluster-scoped objects that are served, as plural.group/name; others of their resource are not seen.',
      items: { type: 'string', maxLength: 600, pattern: '^[^/]+/[^/]+$' },
    },
  },
};

/** A Kubernetes API inside the landscape, served at `/clusters/<name>`. */
export const logicalClusterKind: KindDeclaration = {
  group: 'core.chandlery.io',
  kind: 'LogicalCluster',
  plural: 'logicalclusters',
  shortNames: ['lc'],
  categories: ['managed'],
  scope: 'Cluster',
  nameRule: 'dns-label',
  servedIn: [platformCluster],
  versions: [
    {
      name: 'v1alpha1',
      schema: {
        type: 'object',
        description:
          'A Kubernetes API inside the landscape, served at /clusters/<name>. Deleting it deletes everything in it.',
        properties: {
          spec: {
            type: 'object',
            description: 'What the logical cluster should be.',
            properties: {
              displayName: { type: 'string', maxLength: 256, description: 'A name for people.' },
              admins: {
                type: 'array',
                'x-kubernetes-list-type': 'atomic',
                description: 'Who gets cluster-admin inside when the logical cluster is created.',
                items: {
                  type: 'object',
                  required: ['kind', 'name'],
                  properties: {
                    kind: {
                      type: 'string',
                      enum: ['User', 'Group'],
                      description: 'Whether the name is a user or a group.',
                    },
                    name: { type: 'string', minLength: 1, description: 'The name as authentication gives it.' },
                  },
                },
              },
              view: viewSchema,
            },
          },
          status: {
            type: 'object',
            description: 'What is observed.',
            properties: {
              phase: { type: 'string', description: 'Ready or Terminating.' },
              conditions: {
                type: 'array',
                'x-kubernetes-list-type': 'map',
                'x-kubernetes-list-map-keys': ['type'],
                description: 'Ready; while terminating, ContentsRemaining says what is still there.',
                items: {
                  type: 'object',
                  required: ['type', 'status'],
                  properties: {
                    type: { type: 'string' },
                    status: { type: 'string', enum: ['True', 'False', 'Unknown'] },
                    reason: { type: 'string' },
                    message: { type: 'string' },
                    lastTransitionTime: { type: 'string', format: 'date-time' },
                    observedGeneration: { type: 'integer', format: 'int64' },
                  },
                },
              },
            },
          },
        },
      },
      subresources: { status: true },
      columns: [
        { name: 'Phase', type: 'string', jsonPath: '.status.phase', description: 'Ready or Terminating.' },
        { name: 'View Of', type: 'string', jsonPath: '.spec.view.base', priority: 1 },
        { name: 'Display Name', type: 'string', jsonPath: '.spec.displayName', priority: 1 },
        { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
      ],
      selectableFields: ['.status.phase'],
    },
  ],
};
