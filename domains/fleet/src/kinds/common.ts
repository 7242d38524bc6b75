import { anything, commonStatus } from '@chandlery/api';
import { Type } from 'typebox';

/** The API group of the fleet manager. */
export const fleetGroup = 'fleet.chandlery.io';

/** The logical cluster that holds all kinds of the domain, so that one commit can cover several of them. */
export const fleetCluster = 'onboarding';

/** The namespace of instances that were ordered over REST, and of the Secrets of the fleet. Operators only. */
export const fleetNamespace = 'fleet';

/** Keeps instances and clusters until everything outside the landscape that belongs to them is removed. */
export const fleetFinalizer = 'fleet.chandlery.io/resources';

/** Marks the Secrets that the fleet manager wrote. */
export const fleetManagedLabel = 'fleet.chandlery.io/managed';

/** On what the landscape makes for a data-plane cluster: the name of the FleetCluster, as long as labels may be. */
export const fleetClusterLabel = 'fleet.chandlery.io/cluster';

/** How every kind of the domain is declared. */
export const declared = {
  group: fleetGroup,
  version: 'v1alpha1',
  nameRule: 'path-segment',
  servedIn: [fleetCluster],
} as const;

/** What the status of every row has. Both times have microseconds; the registry sets them. */
export const rowStatus = {
  ...commonStatus,
  createdAt: Type.Optional(Type.String({ description: 'When the row was created.' })),
  updatedAt: Type.Optional(Type.String({ description: 'When the row was last changed.' })),
};

/** An optional string. */
export const text = (description: string) => Type.Optional(Type.String({ description }));

/** An optional integer. */
export const count = (description: string) => Type.Optional(Type.Integer({ description }));

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
