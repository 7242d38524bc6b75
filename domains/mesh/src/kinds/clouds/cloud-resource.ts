import { type CustomObject, commonStatus, type Rule } from '@chandlery/api';
import { type Static, Type } from 'typebox';
import { serviceName, servicePorts } from '../machine-fields.ts';

/** What the resources of all clouds say: which service they serve, and how. */
export const servedFields = {
  account: Type.String({
    minLength: 1,
    maxLength: 253,
    description: 'The CloudAccount of the namespace with the machines.',
  }),
  service: serviceName,
  ports: { ...servicePorts, minItems: 1 },
  serviceAccount: Type.Optional(
    Type.String({ minLength: 1, maxLength: 253, description: 'As which the machines run. Default: not known.' }),
  ),
  weight: Type.Integer({
    minimum: 1,
    maximum: 1000,
    default: 1,
    description: 'Share of the traffic of each machine, compared with others of the service.',
  }),
  address: Type.Enum(['private', 'public', 'ipv6'], {
    default: 'private',
    description: 'Which address of a machine proxies connect to.',
  }),
};

/** A tag, which machines must have. */
export const tagMap = (description: string) =>
  Type.Optional(
    Type.Record(Type.String(), Type.String({ maxLength: 256 }), { minProperties: 1, maxProperties: 20, description }),
  );

export const resourceStatus = Type.Object({
  ...commonStatus,
  machines: Type.Optional(Type.Integer({ description: 'How many machines were found.' })),
});

export const resourceColumns = [
  { name: 'Service', type: 'string', jsonPath: '.spec.service' },
  { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
  { name: 'Reason', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].reason' },
  { name: 'Machines', type: 'integer', jsonPath: '.status.machines' },
  { name: 'Account', type: 'string', jsonPath: '.spec.account', priority: 1 },
  { name: 'Message', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].message', priority: 1 },
  { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
] as const;

/** The rule that a resource has exactly one of several fields. */
export const exactlyOne = (...fields: readonly string[]): Rule => ({
  rule: `[${fields.map(field => `has(self.spec.${field})`).join(', ')}].exists_one(x, x)`,
  message: `exactly one of ${fields.join(', ')} says which machines are meant`,
});

const served = Type.Object(servedFields);

/** A resource of any cloud: machines, and the service that they serve. */
export type CloudResource = CustomObject<Static<typeof served>, Static<typeof resourceStatus>>;
