import { commonStatus, defineKind, type ObjectOf } from '@chandlery/api';
import { Type } from 'typebox';

const aws = Type.Object(
  {
    accountId: Type.String({
      pattern: '^[0-9]{12}$',
      description: 'Whose machines are read; the credentials must be its own.',
    }),
    regions: Type.Array(Type.String({ pattern: '^[a-z]{2}(-[a-z]+)+-[0-9]{1,2}$' }), {
      minItems: 1,
      maxItems: 40,
      'x-kubernetes-list-type': 'set',
      description: 'Regions with machines, such as eu-central-1.',
    }),
    eventQueues: Type.Optional(
      Type.Array(
        Type.String({
          maxLength: 200,
          pattern: '^arn:aws[-a-z]{0,12}:sqs:[a-z]{2}(-[a-z]+)+-[0-9]{1,2}:[0-9]{12}:[-A-Za-z0-9_]{1,80}$',
        }),
        {
          minItems: 1,
          maxItems: 40,
          'x-kubernetes-list-type': 'set',
          description:
            'ARNs of SQS queues of the account, to which EventBridge sends changes of machines. Default: none, changes are found by polling.',
        },
      ),
    ),
  },
  { description: 'An account of Amazon Web Services.' },
);

const uuid = (description: string) =>
  Type.String({ pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$', description });

const azure = Type.Object(
  {
    tenantId: uuid('The Entra tenant of the credentials.'),
    subscriptionId: uuid('Whose machines are read.'),
    eventQueue: Type.Optional(
      Type.Object(
        {
          storageAccount: Type.String({ pattern: '^[a-z0-9]{3,24}$', description: 'Name of the storage account.' }),
          queue: Type.String({
            pattern: '^[a-z0-9](-?[a-z0-9]){2,62}$',
            maxLength: 63,
            description: 'Name of the queue.',
          }),
        },
        {
          description:
            'Storage queue to which Event Grid sends changes of machines. Default: none, changes are found by polling.',
        },
      ),
    ),
  },
  { description: 'A subscription of Microsoft Azure.' },
);

const google = Type.Object(
  {
    project: Type.String({
      pattern: '^[a-z][-a-z0-9]{4,28}[a-z0-9]$',
      description: 'Id of the project whose machines are read.',
    }),
    eventSubscription: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z][-A-Za-z0-9_.~+]{2,254}$',
        description:
          'Pub/Sub subscription of the project with changes of machines. Default: none, changes are found by polling.',
      }),
    ),
  },
  { description: 'A project of Google Cloud.' },
);

/** An account of a cloud whose machines serve services of the mesh. */
export const cloudAccounts = defineKind({
  group: 'mesh.chandlery.io',
  version: 'v1alpha1',
  kind: 'CloudAccount',
  shortNames: ['ca'],
  description:
    'An account of a cloud whose machines serve services of this namespace. It is polled once for all of them.',
  spec: Type.Object({
    aws: Type.Optional(aws),
    azure: Type.Optional(azure),
    google: Type.Optional(google),
    credentialsSecret: Type.Optional(
      Type.String({
        maxLength: 253,
        pattern: '^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$',
        description:
          'Secret of the namespace with the credentials. Default: those of the server, where its operator allows this account.',
      }),
    ),
    pollSeconds: Type.Integer({
      minimum: 5,
      maximum: 3600,
      default: 30,
      description: 'Pause between two reads of the account.',
    }),
  }),
  status: Type.Object({
    ...commonStatus,
    machines: Type.Optional(Type.Integer({ description: 'How many machines the account has, as read last.' })),
  }),
  rules: [
    {
      rule: '[has(self.spec.aws), has(self.spec.azure), has(self.spec.google)].exists_one(x, x)',
      message: 'a cloud account names exactly one of aws, azure, google',
    },
    {
      rule: '!has(self.spec.aws) || !has(self.spec.aws.eventQueues) || self.spec.aws.eventQueues.all(x, x.contains(":" + self.spec.aws.accountId + ":"))',
      message: 'queues of events are those of the named account',
    },
  ],
  columns: [
    { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
    { name: 'Reason', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].reason' },
    { name: 'Machines', type: 'integer', jsonPath: '.status.machines' },
    {
      name: 'Events',
      type: 'string',
      jsonPath: '.status.conditions[?(@.type=="EventsReceived")].reason',
      priority: 1,
    },
    {
      name: 'Message',
      type: 'string',
      jsonPath: '.status.conditions[?(@.type=="Ready")].message',
      priority: 1,
    },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
});

export type CloudAccount = ObjectOf<typeof cloudAccounts>;
