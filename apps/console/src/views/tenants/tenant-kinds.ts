import type { ServedKind } from '../../api/kinds.ts';

/** The cluster that holds tenants, whichever one the user works on. */
export const tenantsCluster = 'onboarding';

const kindOf = (
  group: string,
  version: string,
  kind: string,
  { plural, isNamespaced }: Pick<ServedKind, 'plural' | 'isNamespaced'>,
): ServedKind => ({
  group,
  version,
  plural,
  kind,
  isNamespaced,
  verbs: ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'],
  shortNames: [],
  subresources: ['status'],
});

/** The kinds of which a tenant consists. */
export const tenantKinds = {
  projects: kindOf('core.openmcp.cloud', 'v1alpha1', 'Project', { plural: 'projects', isNamespaced: false }),
  workspaces: kindOf('core.openmcp.cloud', 'v1alpha1', 'Workspace', { plural: 'workspaces', isNamespaced: true }),
  controlPlanes: kindOf('core.open-control-plane.io', 'v2alpha1', 'ControlPlane', {
    plural: 'controlplanes',
    isNamespaced: true,
  }),
} as const;

/** The namespace of a project. */
export const projectNamespace = (project: string): string => `project-${project}`;

/** The namespace of a workspace. */
export const workspaceNamespace = (project: string, workspace: string): string =>
  `${projectNamespace(project)}--ws-${workspace}`;
