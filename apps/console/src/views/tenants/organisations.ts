import type { KubeObject } from '@chandlery/api';
import { collectionPath, objectPath } from '../../api/kinds.ts';
import { requestJson } from '../../api/request.ts';
import { tenantKinds, tenantsCluster } from './tenant-kinds.ts';
import type { TenantObject } from './tenant-objects.ts';

/** Operators may give the namespace of a workspace another organisation than its name. */
const organisationLabel = 'osb.chandlery.io/organisation';
const namespaces = { group: '', version: 'v1', plural: 'namespaces' };

/** The organisation as which a namespace orders; its name, unless it may be read and says otherwise. */
export async function readOrganisation(namespace: string, signal: AbortSignal): Promise<string> {
  const path = objectPath(tenantsCluster, namespaces, { name: namespace });
  const found = await requestJson<KubeObject>(path, { signal }).catch(() => undefined);
  return found?.metadata.labels?.[organisationLabel] ?? namespace;
}

/** A user of more workspaces names the one. */
const maxWorkspaces = 100;

/** The organisations as which the user orders: of the workspaces of which they are a member. */
export async function readOrganisations(signal: AbortSignal): Promise<readonly string[]> {
  const { items } = await requestJson<{ readonly items: readonly TenantObject[] }>(
    collectionPath(tenantsCluster, tenantKinds.workspaces),
    { query: { limit: maxWorkspaces }, signal },
  );
  const names = items.flatMap(({ status }) => status?.namespace ?? []);
  const organisations = await Promise.all(names.map(namespace => readOrganisation(namespace, signal)));
  return [...new Set(organisations)].toSorted();
}
