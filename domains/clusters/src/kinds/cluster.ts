import { anything, commonStatus, defineKind, immutable, keyedList, type ObjectOf } from '@chandlery/api';
import { Type } from 'typebox';
import { clustersGroup, onPlatform, ownCapabilitiesSchema, tenancySchema } from './common.ts';

const specSchema = (profileRules: object) =>
  Type.Object({
    profile: Type.String({ minLength: 1, ...profileRules, description: 'The ClusterProfile it is made by.' }),
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

/** The spec of new clusters in a template: unlike that of a cluster, its profile may change. */
export const clusterTemplateSchema = specSchema({});

/** Any Kubernetes API that the landscape knows. */
export const clusters = defineKind({
  group: clustersGroup,
  version: 'v1alpha1',
  kind: 'Cluster',
  categories: ['landscape'],
  description: 'A Kubernetes API that the landscape knows, and what it may be used for.',
  spec: specSchema(immutable),
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
    capabilities: Type.Optional(
      ownCapabilitiesSchema('What it can do: API alone, or API and Run. Default: as its profile says.'),
    ),
    providerStatus: Type.Optional(anything('What its provider wants to remember.')),
  }),
  columns: [
    { name: 'Purposes', type: 'string', jsonPath: '.spec.purposes', description: 'What it may be used for.' },
    { name: 'Phase', type: 'string', jsonPath: '.status.phase' },
    { name: 'Capabilities', type: 'string', jsonPath: '.status.capabilities', description: 'API, or API and Run.' },
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
