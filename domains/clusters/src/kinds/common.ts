import { Type } from 'typebox';

/** The group of everything about clusters. */
export const clustersGroup = 'clusters.openmcp.cloud';
/** The group of what only Chandlery has. */
export const chandleryClustersGroup = 'clusters.chandlery.io';

/** Installs the kind on the platform cluster. */
export const onPlatform = { 'openmcp.cloud/cluster': 'platform' };

export const tenancySchema = Type.Enum(['Exclusive', 'Shared'], {
  description: 'Whether one request or many may be given the same cluster.',
});

/** What a cluster can do: serve an API, schedule and run pods. Every cluster serves an API. */
export type Capability = 'API' | 'Run';

export const capabilitiesSchema = (description: string, rules: object = {}) =>
  Type.Array(Type.Enum(['API', 'Run']), { 'x-kubernetes-list-type': 'set', description, ...rules });

const includesApi = { rule: "'API' in self", message: 'must contain API: every cluster serves one' };

/** Capabilities that clusters have, as opposed to those that a request needs. */
export const ownCapabilitiesSchema = (description: string) =>
  capabilitiesSchema(description, { 'x-kubernetes-validations': [includesApi] });

/** A rule of RBAC. */
export const policyRuleSchema = Type.Object({
  apiGroups: Type.Optional(Type.Array(Type.String())),
  resources: Type.Optional(Type.Array(Type.String())),
  resourceNames: Type.Optional(Type.Array(Type.String())),
  verbs: Type.Array(Type.String(), { minItems: 1 }),
  nonResourceURLs: Type.Optional(Type.Array(Type.String())),
});

export const roleRefSchema = Type.Object({
  kind: Type.Enum(['Role', 'ClusterRole'], { description: 'Role or ClusterRole.' }),
  name: Type.String({ minLength: 1 }),
  namespace: Type.Optional(Type.String({ description: 'Where the Role is; for a ClusterRole, where it holds.' })),
});

export const permissionSchema = Type.Object({
  name: Type.Optional(Type.String({ description: 'Of the role. Default: a name made up from the request.' })),
  namespace: Type.Optional(Type.String({ description: 'A Role in this namespace; without it a ClusterRole.' })),
  disableAutomaticNamespaceCreation: Type.Optional(
    Type.Boolean({ description: 'Waits for the namespace instead of creating it.' }),
  ),
  rules: Type.Array(policyRuleSchema, { description: 'What is allowed.' }),
});

const subjectSchema = Type.Object({
  kind: Type.Enum(['User', 'Group', 'ServiceAccount']),
  name: Type.String({ minLength: 1 }),
  namespace: Type.Optional(Type.String()),
});

export const oidcProviderSchema = Type.Object(
  {
    name: Type.String({ minLength: 1, description: 'Identifies the provider; "system" is reserved.' }),
    issuer: Type.String({ minLength: 1, description: 'The address of the OpenID provider.' }),
    clientID: Type.String({ minLength: 1, description: 'What tokens must be meant for.' }),
    usernameClaim: Type.String({ default: 'sub', description: 'The claim with the user name.' }),
    usernamePrefix: Type.Optional(
      Type.String({ description: 'Put before user names. Default: the name and a colon.' }),
    ),
    groupsClaim: Type.String({ default: 'groups', description: 'The claim with the groups.' }),
    groupsPrefix: Type.Optional(Type.String({ description: 'Put before groups. Default: the name and a colon.' })),
    extraScopes: Type.Optional(Type.Array(Type.String(), { description: 'What clients ask for besides openid.' })),
    roleBindings: Type.Optional(
      Type.Array(Type.Object({ subjects: Type.Array(subjectSchema), roleRefs: Type.Array(roleRefSchema) }), {
        description: 'Who gets which existing role. Names are those of the provider, without prefix.',
      }),
    ),
    roles: Type.Optional(Type.Array(permissionSchema, { description: 'Roles to create.' })),
  },
  {
    'x-kubernetes-validations': [{ rule: "self.name != 'system'", message: 'the name "system" is taken' }],
  },
);

export const tokenAccessSchema = Type.Object({
  permissions: Type.Optional(Type.Array(permissionSchema, { description: 'Roles to create and bind.' })),
  roleRefs: Type.Optional(Type.Array(roleRefSchema, { description: 'Existing roles to bind.' })),
});

export const objectRefSchema = (description: string) =>
  Type.Object({ name: Type.String({ minLength: 1 }), namespace: Type.String({ minLength: 1 }) }, { description });
