import { anything, type CustomKind, commonStatus, defineKind, keyedList, type ObjectOf } from '@chandlery/api';
import { Type } from 'typebox';

/** The group of providers. */
export const providersGroup = 'openmcp.cloud';
/** Installs the kind on the platform cluster. */
export const onPlatform = { 'openmcp.cloud/cluster': 'platform' };
/** Installs the kind on the onboarding cluster. */
export const onOnboarding = { 'openmcp.cloud/cluster': 'onboarding' };

const specSchema = Type.Object({
  image: Type.String({ minLength: 1, description: 'Runs the init job and the run deployment.' }),
  imagePullSecrets: Type.Optional(Type.Array(Type.Object({ name: Type.String({ minLength: 1 }) }))),
  initCommand: Type.Array(Type.String(), { default: ['init'], description: 'What the init job does.' }),
  runCommand: Type.Array(Type.String(), { default: ['run'], description: 'What the run deployment does.' }),
  env: Type.Optional(
    keyedList(
      Type.Object({ name: Type.String({ minLength: 1 }), value: Type.Optional(Type.String()) }),
      ['name'],
      'Variables of the init job and the run deployment.',
    ),
  ),
  verbosity: Type.String({
    default: 'INFO',
    pattern: '^([Dd][Ee][Bb][Uu][Gg]|[Ii][Nn][Ff][Oo]|[Ee][Rr][Rr][Oo][Rr])$',
    description: 'DEBUG, INFO or ERROR.',
  }),
  extraVolumes: Type.Optional(Type.Array(anything('A volume of a pod.'))),
  extraVolumeMounts: Type.Optional(Type.Array(anything('Where a volume is mounted.'))),
  runReplicas: Type.Integer({
    minimum: 1,
    default: 1,
    description: 'With more than one, the provider elects a leader.',
  }),
  deletionPolicy: Type.Optional(
    Type.Enum(['Delete', 'Orphan'], {
      description:
        'What happens to the services of tenants when a ServiceProvider is deleted. Delete (default): it waits until tenants have deleted them. Orphan: all are released and continue to run as RetainedServices.',
    }),
  ),
  topologySpreadConstraints: Type.Optional(Type.Array(anything('Where replicas go; the selector is filled in.'))),
  metrics: Type.Object(
    {
      disabled: Type.Boolean({ default: false }),
      path: Type.String({ default: '/metrics' }),
      port: Type.Integer({ default: 8080, minimum: 1, maximum: 65_535 }),
    },
    { default: {}, description: 'Where the provider shows its metrics.' },
  ),
});

const statusSchema = Type.Object({
  ...commonStatus,
  metrics: Type.Optional(
    Type.Object({
      serviceRef: Type.Optional(Type.Object({ name: Type.String(), namespace: Type.String() })),
    }),
  ),
  resources: Type.Optional(
    keyedList(
      Type.Object({
        group: Type.String(),
        version: Type.String(),
        kind: Type.String(),
        usesControlPlane: Type.Optional(
          Type.Boolean({
            description:
              'Whether an object belongs to the control plane of its name and is deleted with it. Default: when the provider has requested access to that control plane.',
          }),
        ),
      }),
      ['group', 'version', 'kind'],
      'The kinds that tenants use; written by the provider itself.',
    ),
  ),
});

const define = (kind: string, shortNames: readonly string[], description: string) =>
  defineKind({
    group: providersGroup,
    version: 'v1alpha1',
    kind,
    shortNames,
    scope: 'Cluster',
    categories: ['providers'],
    description,
    spec: specSchema,
    status: statusSchema,
    columns: [
      {
        name: 'Phase',
        type: 'string',
        jsonPath: '.status.phase',
        description: 'Progressing, Ready, Failed, Terminating (deleted, but used by tenants) or Uninstalling.',
      },
      { name: 'Kinds', type: 'string', jsonPath: '.status.resources[*].kind', description: 'What tenants order.' },
      {
        name: 'Reason',
        type: 'string',
        jsonPath: '.status.conditions[?(@.type=="Ready")].reason',
        description: 'Why it is ready, or not.',
      },
      { name: 'Image', type: 'string', jsonPath: '.spec.image', priority: 1 },
      { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
    ],
    selectableFields: ['.status.phase'],
    labels: onPlatform,
  });

/** Serves a service to tenants. */
export const serviceProviders = define(
  'ServiceProvider',
  ['sp'],
  'Brings a service to tenants: its API and what runs it.',
);
/** Creates clusters. */
export const clusterProviders = define('ClusterProvider', ['cprov'], 'Makes clusters.');
/** Serves the platform as a whole. */
export const platformServices = define('PlatformService', ['ps'], 'Does something for the platform as a whole.');

export type Provider = ObjectOf<typeof serviceProviders>;
export type ProviderKind = CustomKind<Provider>;
