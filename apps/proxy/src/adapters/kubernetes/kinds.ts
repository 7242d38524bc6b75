import { anything, commonStatus, defineKind, immutable, type ObjectOf } from '@chandlery/api';
import { Type } from 'typebox';

/** The group of the kinds by which users of a cluster order services. */
export const servicesGroup = 'services.chandlery.io';

const common = { group: servicesGroup, version: 'v1alpha1', categories: ['services'] } as const;
const age = { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' } as const;
const ready = { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' } as const;
const reason = { name: 'Reason', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].reason' } as const;

const secretRef = Type.Object({
  namespace: Type.Optional(Type.String({ description: 'Where the secret is.' })),
  name: Type.String({ description: 'What the secret is called.' }),
});

/** A broker that the proxy has registered; only the proxy writes it. */
export const serviceBrokers = defineKind({
  ...common,
  kind: 'ServiceBroker',
  scope: 'Cluster',
  description: 'A broker that the broker proxy has registered in this cluster.',
  spec: Type.Object({
    url: Type.String({ description: 'Where the broker is.' }),
    authInfo: Type.Optional(
      Type.Object({
        basic: Type.Optional(Type.Object({ secretRef })),
      }),
    ),
    caBundle: Type.Optional(Type.String({ description: 'Whom to trust: PEM in base64.' })),
    relistBehavior: Type.Optional(Type.String({ description: 'Always Manual.' })),
    relistRequests: Type.Optional(Type.Integer({ description: 'Increase it to have the catalog fetched again.' })),
  }),
  status: Type.Object({ ...commonStatus }),
  columns: [{ name: 'URL', type: 'string', jsonPath: '.spec.url' }, ready, reason, age],
});

/** Something that users of the cluster may order. */
export const serviceClasses = defineKind({
  ...common,
  kind: 'ServiceClass',
  plural: 'serviceclasses',
  scope: 'Cluster',
  description: 'An offering of a broker that may be ordered in this cluster. Kept by the broker proxy.',
  spec: Type.Object({
    offering: Type.String({ description: 'The name by which it is ordered.' }),
    offeringId: Type.String({ description: 'The id of the offering in its catalog.' }),
    broker: Type.String({ description: 'The ServiceBroker that offers it.' }),
    description: Type.Optional(Type.String({ description: 'What it is.' })),
  }),
  status: Type.Object({
    ...commonStatus,
    planNames: Type.Optional(Type.String({ description: 'The plans that may be ordered, in one line.' })),
    plans: Type.Optional(
      Type.Array(
        Type.Object({
          name: Type.String(),
          id: Type.String(),
          description: Type.Optional(Type.String()),
          free: Type.Optional(Type.Boolean()),
          bindable: Type.Optional(Type.Boolean()),
          maximumPollingSeconds: Type.Optional(Type.Integer()),
        }),
        { description: 'The plans that may be ordered.' },
      ),
    ),
    bindingsRetrievable: Type.Optional(Type.Boolean({ description: 'Whether bindings can be fetched.' })),
  }),
  columns: [
    { name: 'Offering', type: 'string', jsonPath: '.spec.offering' },
    { name: 'Plans', type: 'string', jsonPath: '.status.planNames' },
    { name: 'Broker', type: 'string', jsonPath: '.spec.broker', priority: 1 },
    { name: 'Description', type: 'string', jsonPath: '.spec.description', priority: 1 },
    age,
  ],
});

const parametersFrom = Type.Optional(
  Type.Array(
    Type.Object({
      secretKeyRef: Type.Object({ name: Type.String(), key: Type.String() }),
    }),
    { description: 'Keys of secrets that hold further parameters as JSON objects; later ones win.' },
  ),
);

const parameters = Type.Optional(anything('Parameters for the broker.'));

/** What is known of something at its broker. */
const lifecycle = {
  ...commonStatus,
  broker: Type.Optional(Type.String({ description: 'The ServiceBroker that it is ordered from.' })),
  offeringId: Type.Optional(Type.String()),
  planId: Type.Optional(Type.String()),
  externalId: Type.Optional(Type.String({ description: 'Its id at the broker.' })),
  exists: Type.Optional(Type.Boolean({ description: 'Whether the broker has it.' })),
  attempts: Type.Optional(Type.Integer({ description: 'How often it failed and was cleaned up.' })),
  isOrphan: Type.Optional(Type.Boolean({ description: 'The broker may have it though ordering it failed.' })),
  platformRemoved: Type.Optional(
    Type.Boolean({ description: 'It went with the platform, which was deleted at the service manager.' }),
  ),
  failure: Type.Optional(Type.String({ description: 'Why the order failed whose remains are removed.' })),
  operation: Type.Optional(
    Type.Object({
      type: Type.Enum(['create', 'update', 'delete']),
      key: Type.Optional(Type.String({ description: 'The operation key for polls.' })),
      startedAt: Type.String(),
    }),
  ),
};

/** An order of a service. */
export const serviceInstances = defineKind({
  ...common,
  kind: 'ServiceInstance',
  description: 'A service that is ordered from a broker.',
  spec: Type.Object({
    offering: Type.String({
      minLength: 1,
      description: 'What is ordered: see `kubectl get serviceclasses`.',
      ...immutable,
    }),
    plan: Type.String({ minLength: 1, description: 'In which plan.' }),
    broker: Type.Optional(Type.String({ description: 'Of which ServiceBroker, where several offer the same.' })),
    parameters,
    parametersFrom,
  }),
  status: Type.Object({
    ...lifecycle,
    dashboardUrl: Type.Optional(Type.String()),
    applied: Type.Optional(Type.String({ description: 'Stands for plan and parameters as the broker has them.' })),
    refused: Type.Optional(Type.String({ description: 'A hash of the plan and parameters that the broker rejected.' })),
    sent: Type.Optional(
      Type.Object({ wish: Type.String(), planId: Type.String() }, { description: 'What the broker is asked for now.' }),
    ),
  }),
  columns: [
    { name: 'Offering', type: 'string', jsonPath: '.spec.offering' },
    { name: 'Plan', type: 'string', jsonPath: '.spec.plan' },
    ready,
    reason,
    age,
  ],
});

/** Access to an instance. */
export const serviceBindings = defineKind({
  ...common,
  kind: 'ServiceBinding',
  description: 'Access to a service instance; its credentials are put into a secret.',
  spec: Type.Object({
    instance: Type.String({
      minLength: 1,
      description: 'The ServiceInstance in the same namespace.',
      ...immutable,
    }),
    secretName: Type.Optional(Type.String({ description: 'Where credentials go. Default: the name of the binding.' })),
    serviceAccountName: Type.Optional(
      Type.String({
        minLength: 1,
        description: 'The service account of this namespace whose proxies may call the instance in the mesh.',
        ...immutable,
      }),
    ),
    parameters,
    parametersFrom,
  }),
  status: Type.Object({ ...lifecycle, instanceId: Type.Optional(Type.String()) }),
  columns: [
    { name: 'Instance', type: 'string', jsonPath: '.spec.instance' },
    { name: 'Secret', type: 'string', jsonPath: '.spec.secretName', priority: 1 },
    ready,
    reason,
    age,
  ],
});

export type ServiceBroker = ObjectOf<typeof serviceBrokers>;
export type ServiceClass = ObjectOf<typeof serviceClasses>;
export type ServiceInstance = ObjectOf<typeof serviceInstances>;
export type ServiceBinding = ObjectOf<typeof serviceBindings>;

/** All kinds of a cluster without service-catalog. */
export const serviceKinds = [serviceBrokers, serviceClasses, serviceInstances, serviceBindings] as const;
