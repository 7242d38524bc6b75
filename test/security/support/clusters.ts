import assert from 'node:assert/strict';
import type { Caller } from './caller.ts';
import { corePath, create, groupPath } from './objects.ts';
import { readSecret, type Stateful, until } from './tenants.ts';

const clustersGroup = 'clusters.openmcp.cloud/v1alpha1';

export const hostImagesPath = groupPath('platform', 'clusters.chandlery.io/v1alpha1/hostimages');
export const accessRequestsPath = (namespace = 'openmcp-system'): string =>
  `${groupPath('platform', clustersGroup, namespace)}/accessrequests`;
export const clusterRequestsPath = (namespace = 'openmcp-system'): string =>
  `${groupPath('platform', clustersGroup, namespace)}/clusterrequests`;
export const clustersPath = `${groupPath('platform', clustersGroup, 'openmcp-system')}/clusters`;

export const hostImage = (name: string, image: string, command: readonly string[]) => ({
  apiVersion: 'clusters.chandlery.io/v1alpha1',
  kind: 'HostImage',
  metadata: { name },
  spec: { image, command },
});

export const clusterRequest = (name: string, purpose: string) => ({
  apiVersion: clustersGroup,
  kind: 'ClusterRequest',
  metadata: { name },
  spec: { purpose },
});

export const accessRequest = (name: string, cluster: string, spec: object) => ({
  apiVersion: clustersGroup,
  kind: 'AccessRequest',
  metadata: { name },
  spec: { clusterRef: { name: cluster, namespace: 'openmcp-system' }, ...spec },
});

export const cluster = (name: string, spec: object) => ({
  apiVersion: clustersGroup,
  kind: 'Cluster',
  metadata: { name },
  spec: { purposes: ['test'], tenancy: 'Exclusive', ...spec },
});

export const isGranted = ({ status }: Stateful): boolean => status?.phase === 'Granted';

/** Asks for a cluster for a purpose, and returns its name once it is there. */
export async function requestCluster(admin: Caller, name: string, purpose: string): Promise<string> {
  await create(admin, clusterRequestsPath(), clusterRequest(name, purpose));
  const { status } = await until(admin, `${clusterRequestsPath()}/${name}`, isGranted);
  const { name: found } = (status?.['cluster'] ?? {}) as { name?: string };
  const granted = found ?? assert.fail(`no cluster for ${purpose}`);
  await until(admin, `${clustersPath}/${granted}`, ({ status: is }) => is?.phase === 'Ready');
  return granted;
}

/** Asks for access, and returns the token once it is granted. */
export async function requestAccess(
  admin: Caller,
  request: ReturnType<typeof accessRequest>,
  namespace = 'openmcp-system',
): Promise<string> {
  const { name } = request.metadata;
  await create(admin, accessRequestsPath(namespace), request);
  await until(admin, `${accessRequestsPath(namespace)}/${name}`, isGranted);
  return readSecret(admin, `${corePath('platform', namespace)}/secrets/${name}.kubeconfig`, 'token');
}
