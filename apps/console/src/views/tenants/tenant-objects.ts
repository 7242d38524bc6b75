import type { KubeObject } from '@chandlery/api';

export const memberKinds = ['User', 'Group', 'ServiceAccount'] as const;
export const memberRoles = ['admin', 'view'] as const;

/** Who belongs to a project or workspace. */
export interface Member {
  readonly kind: (typeof memberKinds)[number];
  readonly name: string;
  /** Of a service account. */
  readonly namespace?: string;
  readonly roles: readonly string[];
}

/** A project or a workspace, as far as it is shown. */
export interface TenantObject extends KubeObject {
  readonly spec?: { readonly members?: readonly Member[] };
  readonly status?: {
    readonly namespace?: string;
    readonly cluster?: { readonly name?: string; readonly url?: string };
    readonly remaining?: readonly { readonly kind: string; readonly name: string; readonly namespace?: string }[];
  };
}

export const membersIn = ({ spec }: TenantObject): readonly Member[] => spec?.members ?? [];

/** Who a member is, whatever the roles. */
export const memberKey = ({ kind, namespace = '', name }: Omit<Member, 'roles'>): string =>
  `${kind} ${namespace} ${name}`;

/** The members with one more; a member that is there already gets the roles. */
export const withMember = (members: readonly Member[], member: Member): readonly Member[] => [
  ...members.filter(known => memberKey(known) !== memberKey(member)),
  member,
];

/** The members without one. */
export const withoutMember = (members: readonly Member[], member: Member): readonly Member[] =>
  members.filter(known => memberKey(known) !== memberKey(member));

const serviceAccount = /^system:serviceaccount:([^:]+):([^:]+)$/;

/** The member that people mean: the user name of a service account, as the console shows it, is one. */
export function memberOf(kind: Member['kind'], text: string, role: string): Member {
  const [, namespace, name] = serviceAccount.exec(text) ?? [];
  if (namespace !== undefined && name !== undefined) return { kind: 'ServiceAccount', namespace, name, roles: [role] };
  if (kind !== 'ServiceAccount') return { kind, name: text, roles: [role] };
  const [first = '', second] = text.split('/');
  return second === undefined
    ? { kind, name: first, namespace: peopleNamespace, roles: [role] }
    : { kind, namespace: first, name: second, roles: [role] };
}

/** Where the service accounts of people are. */
export const peopleNamespace = 'chandlery-users';

const namePattern = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;

/** Why a name cannot be that of a project, workspace or control plane. */
export function problemOfName(name: string): string | undefined {
  if (name === '') return 'Name is required';
  return namePattern.test(name) ? undefined : 'The name may have lower-case letters, digits and "-"';
}
