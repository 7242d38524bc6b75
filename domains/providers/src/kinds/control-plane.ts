import { commonStatus, defineKind, keyedList, type ObjectOf } from '@chandlery/api';
import { oidcProviderSchema, permissionSchema, roleRefSchema } from '@chandlery/clusters/kinds';
import { Type } from 'typebox';
import { onOnboarding } from './provider.ts';

const tokenSchema = Type.Object({
  name: Type.String({ minLength: 1, description: 'Names the access.' }),
  permissions: Type.Optional(Type.Array(permissionSchema)),
  roleRefs: Type.Optional(Type.Array(roleRefSchema)),
});

const roleBindingsSchema = Type.Array(
  Type.Object({
    subjects: Type.Array(
      Type.Object({
        kind: Type.Enum(['User', 'Group', 'ServiceAccount']),
        name: Type.String({ minLength: 1 }),
        namespace: Type.Optional(Type.String()),
      }),
    ),
    roleRefs: Type.Array(roleRefSchema),
  }),
);

/** A Kubernetes API of a tenant's own. */
export const controlPlanes = defineKind({
  group: 'core.open-control-plane.io',
  version: 'v2alpha1',
  kind: 'ControlPlane',
  shortNames: ['cp', 'ctrlp'],
  description:
    'A Kubernetes API of your own. Services of the same name and namespace whose provider uses control planes become part of it and are deleted with it.',
  spec: Type.Object({
    iam: Type.Optional(
      Type.Object({
        tokens: Type.Optional(keyedList(tokenSchema, ['name'], 'Access by token: a kubeconfig each.')),
        oidc: Type.Optional(
          Type.Object({
            defaultProvider: Type.Optional(Type.Object({ roleBindings: Type.Optional(roleBindingsSchema) })),
            extraProviders: Type.Optional(keyedList(oidcProviderSchema, ['name'], 'More OpenID providers.')),
          }),
        ),
      }),
    ),
  }),
  isSpecOptional: true,
  status: Type.Object({
    ...commonStatus,
    access: Type.Optional(
      Type.Record(Type.String(), Type.Object({ name: Type.String() }), {
        description: 'The Secrets with kubeconfigs, by access.',
      }),
    ),
    services: Type.Optional(
      keyedList(
        Type.Object({ apiVersion: Type.String(), kind: Type.String(), name: Type.String() }),
        ['apiVersion', 'kind', 'name'],
        'The services that use it and are deleted with it.',
      ),
    ),
    endpoints: Type.Optional(
      keyedList(Type.Object({ name: Type.String(), url: Type.String() }), ['name'], 'Where it is reached.'),
    ),
  }),
  columns: [
    { name: 'Phase', type: 'string', jsonPath: '.status.phase' },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
  selectableFields: ['.status.phase'],
  labels: onOnboarding,
});

/** The configuration of control planes; only the object named `default` is used. */
export const controlPlaneConfigs = defineKind({
  group: 'core.chandlery.io',
  version: 'v1alpha1',
  kind: 'ControlPlaneConfig',
  shortNames: ['cpcfg'],
  scope: 'Cluster',
  description: 'How control planes are made. The one named "default" counts.',
  spec: Type.Object({
    mcpClusterPurpose: Type.String({ default: 'mcp', minLength: 1, description: 'The purpose of their clusters.' }),
    reconcileMCPEveryXDays: Type.Integer({ default: 0, minimum: 0, description: '0: only when something changes.' }),
    defaultOIDCProvider: Type.Optional(oidcProviderSchema),
    exposedEndpoints: Type.Optional(
      Type.Array(Type.Object({ name: Type.String(), renameTo: Type.Optional(Type.String()) }), {
        description: "Which of the cluster's endpoints tenants see. Default: all.",
      }),
    ),
  }),
  labels: { 'openmcp.cloud/cluster': 'platform' },
});

export type ControlPlane = ObjectOf<typeof controlPlanes>;
export type ControlPlaneConfig = ObjectOf<typeof controlPlaneConfigs>;
