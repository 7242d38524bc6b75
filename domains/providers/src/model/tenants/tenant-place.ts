import { tenantsGroup } from '../../kinds/index.ts';

/** The value of the managed-by label of all objects of projects and workspaces. */
export const tenantsManager = 'chandlery-tenants';

/** Labels of a tenant's namespace that name its tenant. */
export const tenantLabels = {
  project: `${tenantsGroup}/project`,
  workspace: `${tenantsGroup}/workspace`,
} as const;

/** The namespace of a tenant, and the labels that identify it as the tenant's. */
export interface TenantPlace {
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
}

export type Placement =
  | { readonly type: 'place'; readonly place: TenantPlace }
  | { readonly type: 'refused'; readonly reason: string; readonly message: string };

const maxNameLength = 63;
const projectPrefix = 'project-';

/** The namespace of a project. */
export const placeProject = (project: string): Placement =>
  placeIn(`${projectPrefix}${project}`, { [tenantLabels.project]: project });

/** The namespace of a workspace, which itself is in the namespace of a project. */
export function placeWorkspace(inNamespace: string, workspace: string): Placement {
  const project = projectOf(inNamespace);
  if (project === undefined) return notInProject(inNamespace);
  const labels = { [tenantLabels.project]: project, [tenantLabels.workspace]: workspace };
  return placeIn(`${inNamespace}--ws-${workspace}`, labels);
}

/** The project of a namespace by its name alone; the project may not exist. */
export const projectOf = (namespace: string): string | undefined =>
  namespace.startsWith(projectPrefix) ? namespace.slice(projectPrefix.length) || undefined : undefined;

function placeIn(namespace: string, labels: Readonly<Record<string, string>>): Placement {
  if (namespace.length > maxNameLength) return tooLong(namespace);
  if (namespace.includes('.')) return withDot(namespace);
  return { type: 'place', place: { namespace, labels } };
}

const tooLong = (namespace: string): Placement => ({
  type: 'refused',
  reason: 'NameTooLong',
  message: `Its namespace would be "${namespace}", which is longer than ${maxNameLength} characters; create it again with a shorter name.`,
});

const withDot = (namespace: string): Placement => ({
  type: 'refused',
  reason: 'NameInvalid',
  message: `Its namespace would be "${namespace}", which may not contain a dot; create it again with another name.`,
});

const notInProject = (namespace: string): Placement => ({
  type: 'refused',
  reason: 'ProjectNotFound',
  message: `Namespace "${namespace}" is not that of a project; create the workspace in a namespace project-<name>.`,
});
