import { displayNameAnnotation, type KubeObject } from '@chandlery/api';
import { controlPlanes, projects, workspaces } from '@chandlery/providers/kinds';
import type { Flags } from '../args/flags.ts';
import { usageError } from '../args/usage-error.ts';

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

/** The object to create. */
export function newTenantObject(kind: TenantKind, name: string, flags: Flags): KubeObject {
  const displayName = flags.text('display-name');
  const annotations = displayName === undefined ? {} : { annotations: { [displayNameAnnotation]: displayName } };
  return {
    apiVersion: kind.apiVersion,
    kind: kind.kind,
    metadata: { name, ...annotations },
    ...(kind.scope === 'workspace' ? controlPlaneSpec : membersSpec(flags)),
  };
}

/** Gives a kubeconfig with all rights, in a Secret beside the control plane. */
const controlPlaneSpec = {
  spec: { iam: { tokens: [{ name: 'admin', roleRefs: [{ kind: 'ClusterRole', name: 'cluster-admin' }] }] } },
};

/** The creator is an administrator in any case. */
function membersSpec(flags: Flags): object {
  const members = [
    ...flags.texts('admin').map(name => ({ kind: 'User', name, roles: ['admin'] })),
    ...flags.texts('viewer').map(name => ({ kind: 'User', name, roles: ['view'] })),
  ];
  return members.length === 0 ? {} : { spec: { members } };
}
