import { defineKind, type ObjectOf } from '@chandlery/api';
import { Type } from 'typebox';

const names = (pattern: string, description: string) =>
  Type.Optional(
    Type.Array(Type.String({ pattern, maxLength: 100 }), {
      minItems: 1,
      maxItems: 1000,
      'x-kubernetes-list-type': 'set',
      description,
    }),
  );

/** Which machines of a cloud may act as a service account, by the identity document that their cloud signs. */
export const machineRules = defineKind({
  group: 'mesh.chandlery.io',
  version: 'v1alpha1',
  kind: 'MachineRule',
  description:
    'Machines of a cloud that may act as a service account of this namespace. They prove who they are by the identity document of their cloud.',
  spec: Type.Object({
    serviceAccount: Type.String({ minLength: 1, maxLength: 253, description: 'As which the machines act.' }),
    aws: Type.Optional(
      Type.Object(
        {
          accountId: Type.String({ pattern: '^[0-9]{12}$', description: 'Account of the machines.' }),
          regions: names('^[a-z]{2}(-[a-z]+)+-[0-9]{1,2}$', 'Default: all.'),
          instances: names('^i-[0-9a-f]{8,17}$', 'Ids of instances. Default: all of the account.'),
          joinWithinMinutes: Type.Integer({
            minimum: 5,
            maximum: 10_080,
            default: 60,
            description: 'So long after its launch a machine may join for the first time.',
          }),
        },
        { description: 'EC2 instances.' },
      ),
    ),
    azure: Type.Optional(
      Type.Object(
        {
          subscriptionId: Type.String({
            pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$',
            description: 'Subscription of the machines.',
          }),
          vmIds: names('^[-0-9a-fA-F]{36}$', 'Ids (vmId) of virtual machines. Default: all of the subscription.'),
        },
        { description: 'Virtual machines of Azure.' },
      ),
    ),
    google: Type.Optional(
      Type.Object(
        {
          project: Type.String({ pattern: '^[a-z][-a-z0-9]{4,28}[a-z0-9]$', description: 'Project of the machines.' }),
          zones: names('^[a-z0-9-]+$', 'Default: all.'),
          instances: names('^[a-z0-9-]+$', 'Names of instances. Default: all of the project.'),
        },
        { description: 'Instances of Compute Engine.' },
      ),
    ),
  }),
  rules: [
    {
      rule: '[has(self.spec.aws), has(self.spec.azure), has(self.spec.google)].exists_one(x, x)',
      message: 'a rule names machines of exactly one of aws, azure, google',
    },
  ],
  columns: [
    { name: 'ServiceAccount', type: 'string', jsonPath: '.spec.serviceAccount' },
    { name: 'AWS', type: 'string', jsonPath: '.spec.aws.accountId' },
    { name: 'Azure', type: 'string', jsonPath: '.spec.azure.subscriptionId' },
    { name: 'Google', type: 'string', jsonPath: '.spec.google.project' },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
});

export type MachineRule = ObjectOf<typeof machineRules>;
