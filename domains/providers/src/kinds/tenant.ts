import { commonStatus, defineKind, type ObjectOf } from '@chandlery/api';
import { Type } from 'typebox';
import { onOnboarding } from './provider.ts';

/**
 * Where the service accounts of people are who have no account at an OpenID provider. Such an account stands for a person,
 * not for a workload of the namespace.
 */
export const peopleNamespace = 'chandlery-users';

/** The group of projects and workspaces. */
export const tenantsGroup = 'core.openmcp.cloud';

/** What a member may do in a tenant: `model/tenants/role-rules.ts`. */
export const tenantRoles = ['admin', 'view'] as const;
export type TenantRole = (typeof tenantRoles)[number];

const memberSchema = Type.Object({
  kind: Type.Enum(['User', 'Group', 'ServiceAccount']),
  name: Type.String({ minLength: 1 }),
  namespace: Type.Optional(Type.String({ description: 'Of a ServiceAccount.' })),
  roles: Type.Array(Type.Enum([...tenantRoles]), { minItems: 1, description: 'What the member may do.' }),
});

const specSchema = Type.Object({
  members: Type.Array(memberSchema, { default: [], description: 'Who belongs to it.' }),
});

const statusSchema = Type.Object({
  ...commonStatus,
  namespace: Type.Optional(Type.String({ description: 'Where its contents are.' })),
  cluster: Type.Optional(
    Type.Object(
      { name: Type.String(), url: Type.String({ description: 'Where it is served.' }) },
      { description: "The tenant's own API: its namespaces, and the kinds of the components that it has picked." },
    ),
  ),
  remaining: Type.Optional(
    Type.Array(
      Type.Object({
        apiGroup: Type.String(),
        kind: Type.String(),
        name: Type.String(),
        namespace: Type.Optional(Type.String()),
      }),
      { description: 'What keeps it from being deleted.' },
    ),
  ),
});

const displayName = {
  name: 'Display Name',
  type: 'string',
  jsonPath: '.metadata.annotations.openmcp\\.cloud/display-name',
} as const;
const phase = { name: 'Phase', type: 'string', jsonPath: '.status.phase' } as const;
const age = { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' } as const;

const projectColumns = [
  displayName,
  { name: 'Namespace', type: 'string', jsonPath: '.status.namespace' },
  { name: 'Cluster', type: 'string', jsonPath: '.status.cluster.name', description: "The tenant's own API." },
  phase,
  age,
] as const;

/** Lists over all namespaces have a column Namespace already: that of the project. */
const workspaceColumns = [
  displayName,
  { name: 'Contents', type: 'string', jsonPath: '.status.namespace', description: 'The namespace of what is in it.' },
  phase,
  age,
] as const;

/** A tenant. */
export const projects = defineKind({
  group: tenantsGroup,
  version: 'v1alpha1',
  kind: 'Project',
  // Platform users say tenant.
  shortNames: ['proj', 'tenant', 'tenants'],
  hasPartialLists: true,
  scope: 'Cluster',
  description:
    'A tenant: people, a namespace project-<name> with their workspaces, and an API of its own (status.cluster).',
  spec: specSchema,
  isSpecOptional: true,
  status: statusSchema,
  columns: projectColumns,
  labels: onOnboarding,
});

/** A part of a tenant. */
export const workspaces = defineKind({
  group: tenantsGroup,
  version: 'v1alpha1',
  kind: 'Workspace',
  shortNames: ['ws'],
  hasPartialLists: true,
  description: 'A part of a project: people, and a namespace project-<project>--ws-<name> with control planes.',
  spec: specSchema,
  isSpecOptional: true,
  status: statusSchema,
  columns: workspaceColumns,
  labels: onOnboarding,
});

const ruleSchema = Type.Object({
  apiGroups: Type.Optional(Type.Array(Type.String())),
  resources: Type.Optional(Type.Array(Type.String())),
  resourceNames: Type.Optional(Type.Array(Type.String())),
  verbs: Type.Array(Type.String()),
});

const levelSchema = Type.Object({
  resourcesBlockingDeletion: Type.Optional(
    Type.Array(Type.Object({ group: Type.String(), version: Type.String(), kind: Type.String() }), {
      description: 'Kinds whose objects must be deleted first.',
    }),
  ),
  additionalPermissions: Type.Optional(
    Type.Record(Type.String(), Type.Array(ruleSchema), { description: 'More rights, by role: admin, view.' }),
  ),
});

/** The configuration of projects and workspaces; only the object named `default` is used. */
export const projectWorkspaceConfigs = defineKind({
  group: tenantsGroup,
  version: 'v1alpha1',
  kind: 'ProjectWorkspaceConfig',
  shortNames: ['pwcfg'],
  scope: 'Cluster',
  description: 'How projects and workspaces behave. The one named "default" counts.',
  spec: Type.Object({
    project: Type.Optional(levelSchema),
    workspace: Type.Optional(levelSchema),
    memberOverrides: Type.Optional(
      Type.Array(
        Type.Object({
          kind: Type.Enum(['User', 'Group', 'ServiceAccount']),
          name: Type.String({ minLength: 1 }),
          namespace: Type.Optional(Type.String()),
          roles: Type.Array(Type.Enum([...tenantRoles]), { minItems: 1 }),
          resources: Type.Optional(
            Type.Array(Type.Object({ kind: Type.Enum(['Project', 'Workspace']), name: Type.String() }), {
              description: 'Which ones. Default: all.',
            }),
          ),
        }),
        { description: 'Who counts as a member without being listed.' },
      ),
    ),
    webhook: Type.Optional(
      Type.Object({ disabled: Type.Boolean({ default: false, description: 'Checks of members are not made.' }) }),
    ),
  }),
  labels: onOnboarding,
});

export type Tenant = ObjectOf<typeof projects>;
export type ProjectWorkspaceConfig = ObjectOf<typeof projectWorkspaceConfigs>;
