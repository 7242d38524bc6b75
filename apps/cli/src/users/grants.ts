import { isError, type KubeObject } from '@chandlery/api';
import type { HttpClient, ResourceRef } from '@chandlery/client';
import { projects, workspaces } from '@chandlery/providers/kinds';
import { usageError } from '../args/usage-error.ts';
import { findLogicalCluster } from '../clusters/logical-cluster.ts';
import { personLabel, subjectOf } from './person.ts';

export const roles = ['admin', 'edit', 'view'] as const;
export type Role = (typeof roles)[number];

const rbac = { group: 'rbac.authorization.k8s.io', version: 'v1' } as const;
const clusterRoleBindings: ResourceRef = { ...rbac, plural: 'clusterrolebindings' };
const roleBindings: ResourceRef = { ...rbac, plural: 'rolebindings' };
const tenantKinds: readonly ResourceRef[] = [projects.ref, workspaces.ref];

/** Clusters that all tenants share: this command grants no rights on a whole one of them. */
const sharedClusters: readonly string[] = ['onboarding', 'platform'];

/** The cluster in which the objects of a cluster are stored: that of a view is its base. */
export async function homeOf(platform: HttpClient, cluster: string): Promise<{ home: string; isProject: boolean }> {
  const { spec } = await findLogicalCluster(platform, cluster);
  return { home: spec?.view?.base ?? cluster, isProject: spec?.view !== undefined };
}

export interface Grant {
  readonly user: string;
  readonly cluster: string;
  readonly role: Role | undefined;
  readonly namespace: string | undefined;
  /** Whether the cluster is the API of a project. */
  readonly isProject: boolean;
}

/** Rejects what cannot be granted, before anything is created. */
export function assertGrant({ cluster, role, namespace, isProject }: Grant): void {
  if (isProject && role === 'edit')
    throw usageError('InvalidOption', 'a project has the roles admin and view', 'Say --role admin or --role view.');
  if (isProject && namespace !== undefined)
    throw usageError(
      'InvalidOption',
      'a project has members, and no rights in one namespace (-n)',
      'Leave -n out, or make the person a member of the workspace.',
    );
  if (!isProject && namespace === undefined && role !== undefined && sharedClusters.includes(cluster))
    throw usageError(
      'InvalidOption',
      `${cluster} is shared by all tenants, so that a role needs a namespace (-n)`,
      'Name a namespace with -n, or the API of a project instead of the cluster.',
    );
}

/** Gives a person rights that {@link assertGrant} accepts, and returns what was given in words. */
export async function grantAccess(home: HttpClient, grant: Grant): Promise<string> {
  const { user, cluster, role, namespace, isProject } = grant;
  if (isProject) return joinProject(home, grant);
  if (namespace !== undefined) {
    const given = role ?? 'admin';
    await bind(home, { ...roleBindings, namespace }, user, given);
    return `has the role ${given} in namespace ${namespace} of ${cluster}`;
  }
  if (!sharedClusters.includes(cluster)) {
    const given = role ?? 'admin';
    await bind(home, clusterRoleBindings, user, given === 'admin' ? 'cluster-admin' : given);
    return `has the role ${given} on ${cluster}`;
  }
  return `may sign in to ${cluster}, with the rights of every user`;
}

async function bind(client: HttpClient, place: ResourceRef, user: string, clusterRole: string): Promise<void> {
  const name = `chandlery:user:${user}:${clusterRole}`;
  const kind = place.plural === 'rolebindings' ? 'RoleBinding' : 'ClusterRoleBinding';
  const { namespace } = place;
  const body = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind,
    metadata: { name, ...(namespace === undefined ? {} : { namespace }), labels: { [personLabel]: user } },
    roleRef: { apiGroup: rbac.group, kind: 'ClusterRole', name: clusterRole },
    subjects: [subjectOf(user)],
  };
  await client.patch({ ...place, name }, { type: 'apply', body, force: true }, { fieldManager: 'chandlery' });
}

interface Member {
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
  readonly roles: readonly string[];
}

type Tenant = KubeObject & { spec?: { members?: readonly Member[] } };

async function joinProject(home: HttpClient, { user, cluster, role = 'admin' }: Grant): Promise<string> {
  await changeMembers(home, { ...projects.ref, name: cluster }, members => [
    ...members.filter(member => !isMember(member, user)),
    { ...subjectOf(user), roles: [role] },
  ]);
  return `has the role ${role} in project ${cluster}`;
}

const isMember = ({ kind, name, namespace }: Member, user: string): boolean =>
  kind === 'ServiceAccount' && name === user && namespace === subjectOf(user).namespace;

async function changeMembers(
  client: HttpClient,
  ref: ResourceRef & { readonly name: string },
  change: (members: readonly Member[]) => readonly Member[],
): Promise<void> {
  const tenant = await client.get<Tenant>(ref);
  const { resourceVersion } = tenant.metadata;
  const members = change(tenant.spec?.members ?? []);
  const body = { metadata: { ...(resourceVersion === undefined ? {} : { resourceVersion }) }, spec: { members } };
  await client.patch(ref, { type: 'merge', body: body as never });
}

/** Takes all rights from a person, so that a later one of the same name does not inherit them. Returns where they were. */
export async function revokeAccess(client: HttpClient, user: string): Promise<readonly string[]> {
  const places: string[] = [];
  for (const ref of [clusterRoleBindings, roleBindings]) {
    const { items } = await client.list(ref, { labelSelector: `${personLabel}=${user}` });
    for (const { metadata } of items) {
      const { name = '', namespace } = metadata;
      await client.delete({ ...ref, ...(namespace === undefined ? {} : { namespace }), name });
      places.push(namespace === undefined ? 'the whole cluster' : `namespace ${namespace}`);
    }
  }
  return [...places, ...(await leaveTenants(client, user))];
}

async function leaveTenants(client: HttpClient, user: string): Promise<readonly string[]> {
  const places: string[] = [];
  for (const kind of tenantKinds) {
    for await (const { metadata, spec } of tenantsOf(client, kind)) {
      if (spec?.members?.some(member => isMember(member, user)) !== true) continue;
      const { name = '', namespace } = metadata;
      const ref = { ...kind, ...(namespace === undefined ? {} : { namespace }), name };
      await changeMembers(client, ref, members => members.filter(member => !isMember(member, user)));
      places.push(`${kind.plural.replace(/s$/, '')} ${name}`);
    }
  }
  return places;
}

/** A cluster without tenants does not serve their kinds. */
async function* tenantsOf(client: HttpClient, kind: ResourceRef): AsyncGenerator<Tenant> {
  try {
    yield* client.listAll<Tenant>(kind);
  } catch (thrown) {
    if (!isError(thrown, 'NotFound')) throw thrown;
  }
}
