import { anything, commonStatus, defineKind, immutable, keyedList, type ObjectOf } from '@chandlery/api';
import { Type } from 'typebox';
import { clustersGroup, onPlatform, tenancySchema } from './common.ts';

export const clusterSpecSchema = Type.Object({
  profile: Type.String({ minLength: 1, ...immutable, description: 'The ClusterProfile it is made by.' }),
  clusterConfigs: Type.Optional(
    Type.Array(Type.Object({ name: Type.String({ minLength: 1 }) }), {
      description: "The provider's own configurations, later ones first.",
    }),
  ),
  kubernetes: Type.Optional(
    Type.Object({ version: Type.Optional(Type.String({ description: 'Default: what the profile prefers.' })) }),
  ),
  purposes: Type.Array(Type.String({ minLength: 1 }), {
    minItems: 1,
    'x-kubernetes-list-type': 'set',
    description: 'What it may be used for: platform, onboarding, mcp, workload, or any word.',
  }),
  tenancy: tenancySchema,
});

/** Any Kubernetes API that the landscape knows. */
export const clusters = defineKind({
  group: clustersGroup,
  version: 'v1alpha1',
  kind: 'Cluster',
  categories: ['landscape'],
  description: 'A Kubernetes API that the landscape knows, and what it may be used for.',
  spec: clusterSpecSchema,
  status: Type.Object({
    ...commonStatus,
    apiServer: Type.Optional(Type.String({ description: 'Deprecated: see endpoints.' })),
    endpoints: Type.Optional(
      keyedList(
        Type.Object({ name: Type.String(), url: Type.String() }),
        ['name'],
        'Where it is reached: apiserver-external, apiserver-internal, or any name.',
      ),
    ),
    providerStatus: Type.Optional(anything('What its provider wants to remember.')),
  }),
  columns: [
    { name: 'Purposes', type: 'string', jsonPath: '.spec.purposes', description: 'What it may be used for.' },
    { name: 'Phase', type: 'string', jsonPath: '.status.phase' },
    { name: 'Version', type: 'string', jsonPath: '.metadata.labels.clusters\\.openmcp\\.cloud/k8sversion' },
    { name: 'Provider', type: 'string', jsonPath: '.metadata.labels.clusters\\.openmcp\\.cloud/provider', priority: 1 },
    {
      name: 'Info',
      type: 'string',
      jsonPath: '.metadata.annotations.clusters\\.openmcp\\.cloud/providerinfo',
      priority: 1,
    },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
  selectableFields: ['.status.phase'],
  labels: onPlatform,
});

export type Cluster = ObjectOf<typeof clusters>;
