import type { Column } from '../kind.ts';
import { builtIn } from './built-in.ts';
import { age, createdAt, text, wide } from './columns/columns.ts';
import { listAt, textAt } from './columns/read.ts';
import { type Field, list, type Message, message, one, string } from './message.ts';
import { labelSelector } from './messages/meta.ts';

const RBAC_GROUP = 'rbac.authorization.k8s.io';

const policyRule = message('What may be done.', {
  verbs: list(1, 'string', 'Verbs; * for all.', { required: true, minItems: 1 }),
  apiGroups: list(2, 'string', 'API groups; "" for the core group, * for all.'),
  resources: list(3, 'string', 'Plural names, also as plural/sub-resource; * for all.'),
  resourceNames: list(4, 'string', 'Names of objects; all by default.'),
  nonResourceURLs: list(5, 'string', 'Other paths; a * at the end stands for any rest. Cluster roles only.'),
});

const aggregationRule = message('Other roles whose rules this one takes over.', {
  clusterRoleSelectors: list(1, labelSelector, 'The roles, by label.'),
});

const subject = message(
  'A user, a group or a service account.',
  {
    kind: string(1, 'User, Group or ServiceAccount.', { required: true, enum: ['Group', 'ServiceAccount', 'User'] }),
    apiGroup: string(2, 'API group of the kind; empty for service accounts.'),
    name: string(3, 'The name.', { required: true }),
    namespace: string(4, 'Namespace of the service account.'),
  },
  { atomic: true },
);

const roleRef = (kinds: readonly string[]): Message =>
  message(
    'The role that is given.',
    {
      apiGroup: string(1, 'API group of the role.', { default: RBAC_GROUP }),
      kind: string(2, 'Kind of the role.', { required: true, enum: kinds }),
      name: string(3, 'Name of the role.', { required: true }),
    },
    { atomic: true },
  );

const rules: Field = list(2, policyRule, 'What may be done.');

const bindingFields = (kinds: readonly string[]): Readonly<Record<string, Field>> => ({
  subjects: list(2, subject, 'Who gets the role.'),
  roleRef: one(3, roleRef(kinds), 'The role that is given; cannot be changed.', { required: true }),
});

const subjectNames = (object: unknown, kind: string, name: (subject: unknown) => string): string =>
  listAt(object, 'subjects')
    .filter(candidate => textAt(candidate, 'kind') === kind)
    .map(name)
    .join(', ');

const nameOf = (subject: unknown): string => textAt(subject, 'name');

const bindingColumns: readonly Column[] = [
  text('Role', object => `${textAt(object, 'roleRef', 'kind')}/${textAt(object, 'roleRef', 'name')}`),
  age,
  wide(text('Users', object => subjectNames(object, 'User', nameOf))),
  wide(text('Groups', object => subjectNames(object, 'Group', nameOf))),
  wide(
    text('ServiceAccounts', object =>
      subjectNames(object, 'ServiceAccount', found => `${textAt(found, 'namespace')}/${nameOf(found)}`),
    ),
  ),
];

const shared = { group: RBAC_GROUP, nameRule: 'path-segment', keepsGeneration: false } as const;

/** What may be done in a namespace. */
export const role = builtIn({
  ...shared,
  kind: 'Role',
  allowsCreateOnUpdate: true,
  plural: 'roles',
  scope: 'Namespaced',
  description: 'What may be done in a namespace.',
  fields: { rules },
  columns: [createdAt],
});

/** What may be done in the whole cluster, or in namespaces through role bindings. */
export const clusterRole = builtIn({
  ...shared,
  kind: 'ClusterRole',
  allowsCreateOnUpdate: true,
  plural: 'clusterroles',
  scope: 'Cluster',
  description: 'What may be done in the whole cluster, or in namespaces through role bindings.',
  fields: { rules, aggregationRule: one(3, aggregationRule, 'Other roles whose rules this one takes over.') },
  columns: [createdAt],
});

/** Grants a role to subjects in a namespace. */
export const roleBinding = builtIn({
  ...shared,
  kind: 'RoleBinding',
  allowsCreateOnUpdate: true,
  plural: 'rolebindings',
  scope: 'Namespaced',
  description: 'Grants a role to subjects in a namespace.',
  fields: bindingFields(['ClusterRole', 'Role']),
  columns: bindingColumns,
});

/** Grants a role to subjects in the whole cluster. */
export const clusterRoleBinding = builtIn({
  ...shared,
  kind: 'ClusterRoleBinding',
  allowsCreateOnUpdate: true,
  plural: 'clusterrolebindings',
  scope: 'Cluster',
  description: 'Grants a role to subjects in the whole cluster.',
  fields: bindingFields(['ClusterRole']),
  columns: bindingColumns,
});
