import {
  type CustomKind,
  type CustomObject,
  commonStatus,
  defineKind,
  type KindDefinition,
  type KubeObject,
} from '@chandlery/api';
import { type Static, type TObject, type TProperties, Type } from 'typebox';
import { managementActions, managementRules } from '../model/management-policies.ts';
import { onOnboarding } from '../model/names.ts';

/** What happens to a service when its object is deleted. */
export type DeletionPolicy = 'Delete' | 'Orphan';

const resourceSchema = Type.Object({
  apiGroup: Type.Optional(Type.String({ description: 'Empty for the core group.' })),
  kind: Type.String(),
  name: Type.String(),
  namespace: Type.Optional(Type.String()),
  phase: Type.Enum(['Pending', 'Progressing', 'Ready', 'Failed', 'Terminating', 'Unknown']),
  message: Type.Optional(Type.String()),
  location: Type.Enum(['ManagedControlPlane', 'WorkloadCluster', 'PlatformCluster']),
});

/** An object of a service, as an entry of its status. */
export type ResourceStatus = Static<typeof resourceSchema>;

const deletionPart = {
  deletionPolicy: Type.Optional(
    Type.Enum(['Delete', 'Orphan'], {
      default: 'Delete',
      description: 'What happens to the service when this object is deleted: it goes too, or it stays and is let go.',
    }),
  ),
};

const managementPart = {
  managementPolicies: Type.Optional(
    Type.Array(Type.Enum([...managementActions, '*']), {
      'x-kubernetes-validations': managementRules,
      description:
        'What the provider may do with the service: Observe, Create, Update, Delete, LateInitialize, or "*" for all (default). Without Delete the service is let go with this object. An empty list pauses.',
    }),
  ),
  providerConfigRef: Type.Optional(
    Type.Object(
      { name: Type.String({ minLength: 1 }) },
      { description: "The provider's configuration that counts. Default: the one with the provider's name." },
    ),
  ),
};

/** The status field with the managed objects. */
export const resourcesPart = {
  resources: Type.Optional(Type.Array(resourceSchema, { description: 'What it consists of, and where.' })),
};

const listeningSchema = Type.Object(
  {
    cluster: Type.Optional(
      Type.String({ description: 'The cluster that it runs on, which has its service account. Default: this one.' }),
    ),
    serviceAccount: Type.Optional(
      Type.String({
        description:
          'The service account, in a namespace of this name, as which a proxy of the mesh in front of the service authenticates. Default: there is no proxy.',
      }),
    ),
    endpoints: Type.Array(
      Type.Object({
        address: Type.String({ description: 'A literal IP address.' }),
        port: Type.Integer({ minimum: 1, maximum: 65_535 }),
        name: Type.Optional(Type.String({ description: 'Name of the port, which determines the protocol.' })),
      }),
    ),
  },
  { description: 'Where the service takes connections. With it, the instance is a service of meshes.' },
);

/** Where a service takes connections. */
export type ServiceListening = Static<typeof listeningSchema>;

const serviceStatus = {
  ...commonStatus,
  ...resourcesPart,
  connectionSecretRef: Type.Optional(
    Type.Object({ name: Type.String() }, { description: 'The Secret with what is needed to use the service.' }),
  ),
  reason: Type.Optional(
    Type.String({ description: 'Why the last reconcile failed, and otherwise why it is, or is not, ready.' }),
  ),
  listens: Type.Optional(listeningSchema),
  configGeneration: Type.Optional(
    Type.Integer({ format: 'int64', description: 'The generation of the configuration that this status is about.' }),
  ),
  fulfilledGeneration: Type.Optional(
    Type.Integer({ format: 'int64', description: 'The generation that it was ready for with this configuration.' }),
  ),
  firstReadyTime: Type.Optional(Type.String({ format: 'date-time', description: 'When it was ready first.' })),
};

type DeletionPart = Static<TObject<typeof deletionPart>> & Static<TObject<typeof managementPart>>;
/** The status fields of every service object. */
export type ServiceStatus = Static<TObject<typeof serviceStatus>>;

/** An object by which a tenant orders a service. */
export interface ServiceObject extends KubeObject {
  spec: DeletionPart;
  status?: ServiceStatus;
}

/** The kind of a service, installed on the onboarding cluster. */
export type ServiceKind<T extends ServiceObject = ServiceObject> = CustomKind<T>;

/** Declares the kind of a service: the fields of its spec and status. */
export interface ServiceKindDefinition<Spec extends TObject, Status extends TObject>
  extends Omit<KindDefinition<Spec, Status>, 'scope' | 'labels' | 'selectableFields'> {
  /** Fields besides the common status. Default none. */
  readonly status?: Status;
  /** Columns between Name and Phase; a column named Phase or Age replaces the common one. Default none. */
  readonly columns?: KindDefinition<Spec, Status>['columns'];
}

/**
 * Defines the tenant's kind. Adds `spec.deletionPolicy`, `managementPolicies` and `providerConfigRef`, the common
 * status, and the columns Phase, Ready, Synced, Reason and Age.
 */
export function defineService<Spec extends TObject, Status extends TObject = TObject<Record<never, never>>>(
  definition: ServiceKindDefinition<Spec, Status>,
): CustomKind<CustomObject<Static<Spec> & DeletionPart, Static<Status> & ServiceStatus>> {
  const { spec, status, columns = [], ...rest } = definition;
  const kind = defineKind({
    ...rest,
    spec: withFields(spec, { ...deletionPart, ...managementPart }),
    status: withFields(status ?? Type.Object({}), serviceStatus),
    columns: [...columns, ...serviceColumns.filter(({ name }) => !columns.some(column => column.name === name))],
    selectableFields: ['.status.phase'],
    labels: onOnboarding,
  });
  return kind as unknown as CustomKind<CustomObject<Static<Spec> & DeletionPart, Static<Status> & ServiceStatus>>;
}

/** The `kubectl get` columns of all kinds of providers. */
export const commonColumns = [
  {
    name: 'Phase',
    type: 'string',
    jsonPath: '.status.phase',
    description: 'Progressing, Ready, Failed or Terminating.',
  },
  {
    name: 'Ready',
    type: 'string',
    jsonPath: ".status.conditions[?(@.type=='Ready')].status",
    description: 'Whether the service can be used.',
  },
  {
    name: 'Synced',
    type: 'string',
    jsonPath: ".status.conditions[?(@.type=='Synced')].status",
    description: 'Whether the last reconcile succeeded.',
  },
  {
    name: 'Reason',
    type: 'string',
    jsonPath: ".status.conditions[?(@.type=='Ready')].reason",
    description: 'Why it is, or is not, ready.',
  },
  { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
] as const;

/** A service may be ready although its last reconcile failed: then the reason is that of the failure. */
const serviceColumns = commonColumns.map(column =>
  column.name === 'Reason' ? ({ ...column, jsonPath: '.status.reason' } as const) : column,
);

/** Adds fields to a schema; its rules and descriptions stay. */
export function withFields(schema: TObject, fields: TProperties): TObject {
  const { type: _, properties, required: __, ...options } = schema as TObject & Record<string, unknown>;
  return Type.Object({ ...properties, ...fields }, { ...options });
}
