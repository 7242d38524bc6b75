import { anything, commonStatus } from '@chandlery/api';
import { Type } from 'typebox';

/** The API group of the service manager. */
export const brokersGroup = 'brokers.chandlery.io';

/** The logical cluster that holds everything: tenants have their namespaces there. */
export const brokersCluster = 'onboarding';

/** The namespace of what belongs to no tenant but to the landscape. */
export const globalTenant = 'service-manager';

/** Id, name and type of the platform that owns instances made through the service manager itself. */
export const ownPlatformId = 'service-manager';

/** Name of the plan by which shared instances are referred to. */
export const referencePlanName = 'reference-instance';

/** Keeps what the service manager must end itself from vanishing by a plain delete. */
export const brokersFinalizer = 'brokers.chandlery.io/registry';

/**
 * How every kind of the domain is declared. Those of which every OSB call writes one have no selectable fields, and those
 * that only the service manager makes no unique id: each would be one more row in the store's indexes.
 */
export const declared = {
  group: brokersGroup,
  version: 'v1alpha1',
  nameRule: 'path-segment',
  servedIn: [brokersCluster],
} as const;

/** Labels as the service manager knows them: a key and its values, of any characters. */
export const labelsSchema = Type.Optional(
  Type.Record(Type.String(), Type.Array(Type.String()), { description: 'Keys and their values.' }),
);

/** What every status of the domain has. Both times are precise to the microsecond; the registry sets them. */
export const rowStatus = {
  ...commonStatus,
  ready: Type.Optional(Type.Boolean({ description: 'Whether the creation has succeeded.' })),
  createdAt: Type.Optional(Type.String({ description: 'When it was created, and its place in lists.' })),
  updatedAt: Type.Optional(Type.String({ description: 'When it was last changed.' })),
};

/** Free JSON that may be missing. */
export const free = (description: string) => Type.Optional(anything(description));

/** A string that may be missing. */
export const text = (description: string) => Type.Optional(Type.String({ description }));

/** A truth that may be missing, which means false. */
export const flag = (description: string) => Type.Optional(Type.Boolean({ description }));

/** The creation of what a broker made at once: it has no operation of its own to be looked after, only one to be shown. */
export const creationStatus = Type.Optional(
  Type.Object(
    { id: Type.String(), platformId: Type.String(), correlationId: text('Names the request in logs.') },
    { description: 'The operation that made it, where it was over with the first answer.' },
  ),
);

/** The last column of every table. */
export const ageColumn = { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' } as const;

/** A table column of text. */
export const column = (name: string, jsonPath: string, priority = 0) =>
  ({ name, type: 'string', jsonPath, priority }) as const;
