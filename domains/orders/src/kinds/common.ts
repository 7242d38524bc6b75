import { anything, commonStatus } from '@chandlery/api';
import { Type } from 'typebox';

/** The API group of services and orders. */
export const ordersGroup = 'orders.chandlery.io';

/** The logical cluster that holds all kinds of the group, so that one commit can cover several of them. A namespace is a tenant. */
export const ordersCluster = 'onboarding';

/** The tenant of what the landscape's administrator creates. */
export const defaultTenant = 'default';

/** The ClusterRole that lets a tenant's accounts use the kinds of the group, and so the REST API. */
export const consumerRole = 'orders-consumer';

/** Keeps records until everything outside of the objects that belongs to them is removed. */
export const ordersFinalizer = 'orders.chandlery.io/resources';

/** Marks the Secrets that hold the values of ServiceSecrets. */
export const ordersManagedLabel = 'orders.chandlery.io/managed';

/** How every kind of the group is declared. */
export const declared = {
  group: ordersGroup,
  version: 'v1alpha1',
  categories: ['orders'],
  servedIn: [ordersCluster],
} as const;

/** The rule of records whose name is part of a URN. */
export const namedByUuid = {
  rule: "self.metadata.name.matches('^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$')",
  message: 'metadata.name must be a UUID in lower case; it is part of the URN of the record',
} as const;

/** The unique key of a record's name: rows are found by name alone, whatever the namespace. */
export const uniqueId = {
  name: 'id',
  within: 'cluster',
  values: ({ metadata }: { readonly metadata: { readonly name?: string } }) => [metadata.name ?? ''],
} as const;

/** What the status of every record has. Both times have microseconds; the registry sets them. */
export const rowStatus = {
  ...commonStatus,
  createdAt: Type.Optional(Type.String({ description: 'When the record was created.' })),
  updatedAt: Type.Optional(Type.String({ description: 'When the record was last changed.' })),
};

/** An optional string. */
export const text = (description: string) => Type.Optional(Type.String({ description }));

/** An optional integer of 64 bits. */
export const count = (description: string) => Type.Optional(Type.Integer({ format: 'int64', description }));

/** An optional boolean; absent means false. */
export const flag = (description: string) => Type.Optional(Type.Boolean({ description }));

/** Optional free JSON. */
export const free = (description: string) => Type.Optional(anything(description));

/** An optional list of strings. */
export const texts = (description: string) => Type.Optional(Type.Array(Type.String(), { description }));

/** The last column of every table. */
export const ageColumn = { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' } as const;

/** A table column of text. */
export const column = (name: string, jsonPath: string, priority = 0) =>
  ({ name, type: 'string', jsonPath, priority }) as const;
