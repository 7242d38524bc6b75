import { displayNameAnnotation, type KubeObject } from '@chandlery/api';
import { controlPlanes, projects, workspaces } from '@chandlery/providers/kinds';
import type { Flags } from '../args/flags.ts';
import { usageError } from '../args/usage-error.ts';
import type { ServedKind } from '../resources/discover.ts';

/** A kind of which a tenant consists, as its commands see it. */
export interface TenantKind {
  /** The noun of its commands. */
  readonly noun: string;
  /** What people call one of them. */
  readonly words: string;
  readonly apiVersion: string;
  readonly kind: string;
  /** `projects.core.openmcp.cloud`. */
  readonly resource: string;
  /** What its namespace belongs to; a project has none. */
  readonly scope: 'none' | 'project' | 'workspace';
}

const kindOf = (
  noun: string,
  { apiVersion, kind, plural, group }: typeof projects | typeof workspaces | typeof controlPlanes,
  more: Pick<TenantKind, 'words' | 'scope'>,
): TenantKind => ({ noun, apiVersion, kind, resource: `${plural}.${group}`, ...more });

export const tenantKinds: readonly TenantKind[] = [
  kindOf('project', projects, { words: 'project', scope: 'none' }),
  kindOf('workspace', workspaces, { words: 'workspace', scope: 'project' }),
  kindOf('controlplane', controlPlanes, { words: 'control plane', scope: 'workspace' }),
];

const exampleFlags: Readonly<Record<TenantKind['scope'], string>> = {
  none: '',
  project: ' --project PROJECT',
  workspace: ' --project PROJECT --workspace WORKSPACE',
};

/** How the first object of a kind is created; undefined for kinds that no command creates. */
export function creationHint({ ref }: Pick<ServedKind, 'ref'>): string | undefined {
  const found = tenantKinds.find(({ resource }) => resource === `${ref.plural}.${ref.group}`);
  return found && `Create one: npx chandlery ${found.noun} create NAME${exampleFlags[found.scope]}`;
}

/** The namespace that `--project` and `--workspace` mean, or `-n`; undefined: that of the context. */
export function tenantNamespace(flags: Flags, { scope }: TenantKind): string | undefined {
  const [project, workspace, namespace] = [flags.text('project'), flags.text('workspace'), flags.text('namespace')];
  if (project === undefined) {
    if (workspace !== undefined) throw usageError('MissingArgument', '--project is missing beside --workspace');
    return namespace;
  }
  if (scope !== 'workspace') return `project-${project}`;
  if (workspace === undefined) throw usageError('MissingArgument', '--workspace is missing beside --project');
  return `project-${project}--ws-${workspace}`;
}

/** A workspace is in the namespace of its project, which has to be named. */
export function assertPlace({ scope, words }: TenantKind, namespace: string): void {
  if (scope !== 'project' || namespace.startsWith('project-')) return;
  throw usageError('MissingArgument', `--project is missing: say of which project the ${words} is`);
}

/** The object to create. `creator`: who becomes an administrator besides the members that the command line names. */
export function newTenantObject(
  kind: TenantKind,
  name: string,
  { flags, creator }: { readonly flags: Flags; readonly creator: string | undefined },
): KubeObject {
  const displayName = flags.text('display-name');
  const annotations = displayName === undefined ? {} : { annotations: { [displayNameAnnotation]: displayName } };
  return {
    apiVersion: kind.apiVersion,
    kind: kind.kind,
    metadata: { name, ...annotations },
    ...(kind.scope === 'workspace' ? controlPlaneSpec : membersSpec(flags, creator)),
  };
}

/** Gives a kubeconfig with all rights, in a Secret beside the control plane. */
const controlPlaneSpec = {
  spec: { iam: { tokens: [{ name: 'admin', roleRefs: [{ kind: 'ClusterRole', name: 'cluster-admin' }] }] } },
};

/** Whether the command line names members. Without any, the server makes the creator the administrator. */
export const hasMembers = (flags: Flags): boolean => ['admin', 'viewer'].some(flag => flags.texts(flag).length > 0);

function membersSpec(flags: Flags, creator: string | undefined): object {
  if (!hasMembers(flags)) return {};
  const admins = new Set([...(creator === undefined ? [] : [creator]), ...flags.texts('admin')]);
  const members = [
    ...[...admins].map(name => memberOf(name, 'admin')),
    ...flags.texts('viewer').map(name => memberOf(name, 'view')),
  ];
  return { spec: { members } };
}

/** People without an account at an OpenID provider are service accounts. */
function memberOf(username: string, role: 'admin' | 'view'): object {
  const [, namespace, name] = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(username) ?? [];
  const roles = [role];
  return name === undefined
    ? { kind: 'User', name: username, roles }
    : { kind: 'ServiceAccount', namespace, name, roles };
}
