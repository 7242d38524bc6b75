import { defineProviderConfig, defineService, type ObjectOf, Type } from '@chandlery/sdk';

const group = 'postgres.services.open-control-plane.io';

/** What a tenant asks for, in any namespace on the onboarding cluster. */
export const databases = defineService({
  group,
  version: 'v1alpha1',
  kind: 'PostgresDatabase',
  shortNames: ['pgdb'],
  description: 'A PostgreSQL database of your own, with a role that owns it. How to connect is in a Secret.',
  spec: Type.Object({
    version: Type.String({ minLength: 1, description: 'A major version of PostgreSQL that the platform offers.' }),
    size: Type.Enum(['small', 'medium', 'large'], {
      default: 'small',
      description: 'How many connections the database takes, and how much memory each may use.',
    }),
  }),
  status: Type.Object({
    database: Type.Optional(Type.String({ description: 'Its name on the server.' })),
    serverVersion: Type.Optional(Type.String({ description: 'What the server says it is.' })),
  }),
  columns: [
    { name: 'Version', type: 'string', jsonPath: '.spec.version' },
    { name: 'Size', type: 'string', jsonPath: '.spec.size' },
    { name: 'Secret', type: 'string', jsonPath: '.status.connectionSecretRef.name' },
  ],
});
export type PostgresDatabase = ObjectOf<typeof databases>;

/** What the platform offers. */
export const postgresConfigs = defineProviderConfig({
  group,
  version: 'v1alpha1',
  description: 'Which servers there are.',
  spec: Type.Object({
    versions: Type.Array(
      Type.Object({ version: Type.String({ minLength: 1 }), image: Type.String({ minLength: 1 }) }),
      {
        minItems: 1,
        description: 'Major versions. Each has one server for all tenants.',
      },
    ),
  }),
});
export type PostgresConfig = ObjectOf<typeof postgresConfigs>;

/** What a size means on the server. */
export const sizes = {
  small: { connections: 10, workMemory: '4MB' },
  medium: { connections: 40, workMemory: '16MB' },
  large: { connections: 100, workMemory: '64MB' },
} as const;
