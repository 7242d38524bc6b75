import type { GroupVersionKind, KubeObject } from '@chandlery/api';
import {
  controlPlanes,
  type ProjectWorkspaceConfig,
  retainedServices,
  type Tenant,
  workspaces,
} from '../../kinds/index.ts';
import { kindId, type ServedKind } from './served-kinds.ts';

/** An object that blocks the deletion of a tenant. */
export type Remaining = NonNullable<NonNullable<Tenant['status']>['remaining']>[number];

const maxListed = 10;
const gvkOf = ({ group, version, kind }: GroupVersionKind): GroupVersionKind => ({ group, version, kind });

/** The kinds that block the deletion of projects and workspaces by default. */
export const defaultBlockingKinds = {
  project: [gvkOf(workspaces)],
  workspace: [gvkOf(controlPlanes)],
} as const;

/** The kinds whose objects block the deletion of a project. */
export const kindsBlockingProject = ({ project }: ProjectWorkspaceConfig['spec']): readonly GroupVersionKind[] =>
  project?.resourcesBlockingDeletion ?? defaultBlockingKinds.project;

/**
 * The kinds whose objects block the deletion of a workspace: the configured ones, all kinds of providers, and retained
 * services.
 */
export const kindsBlockingWorkspace = (
  { workspace }: ProjectWorkspaceConfig['spec'],
  serviceKinds: readonly GroupVersionKind[],
): readonly GroupVersionKind[] => [
  ...(workspace?.resourcesBlockingDeletion ?? defaultBlockingKinds.workspace),
  ...serviceKinds,
  gvkOf(retainedServices),
];

/** An object as an entry of `status.remaining`. */
export function remainingEntry({ group, kind }: ServedKind, { metadata }: KubeObject): Remaining {
  const { name = '', namespace } = metadata;
  return { apiGroup: group, kind, name, ...(namespace === undefined ? {} : { namespace }) };
}

/** Sorts entries in a fixed order. */
export const sortRemaining = (entries: readonly Remaining[]): Remaining[] =>
  entries.toSorted((a, b) => compare(sortKey(a), sortKey(b)));

/** `Workspace "a", Workspace "b" and 3 more`. */
export function listRemaining(entries: readonly Remaining[]): string {
  const names = sortRemaining(entries).map(({ kind, name }) => `${kind} "${name}"`);
  const more = names.length - maxListed;
  return more > 0 ? `${names.slice(0, maxListed).join(', ')} and ${more} more` : names.join(', ');
}

const sortKey = ({ apiGroup, kind, namespace = '', name }: Remaining): string =>
  [kindId({ group: apiGroup, kind }), namespace, name].join('/');
const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));
