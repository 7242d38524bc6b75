import type { Client, ObjectRef, ResourceRef } from '@chandlery/client';
import { clusterOf, type ManagedResource, type ValidatedObject } from './tenants.ts';
import type { ValidationContext, ValidationTenant } from './validation-context.ts';

/** A managed object, and the cluster that it is on. */
export interface PlacedResource {
  readonly client: Client;
  readonly ref: ObjectRef;
  readonly kind: string;
}

const wellKnown: Readonly<Record<string, ResourceRef>> = {
  Namespace: { group: '', version: 'v1', plural: 'namespaces' },
  Secret: { group: '', version: 'v1', plural: 'secrets' },
  ConfigMap: { group: '', version: 'v1', plural: 'configmaps' },
  Service: { group: '', version: 'v1', plural: 'services' },
  ServiceAccount: { group: '', version: 'v1', plural: 'serviceaccounts' },
  Deployment: { group: 'apps', version: 'v1', plural: 'deployments' },
  StatefulSet: { group: 'apps', version: 'v1', plural: 'statefulsets' },
  Job: { group: 'batch', version: 'v1', plural: 'jobs' },
  Role: { group: 'rbac.authorization.k8s.io', version: 'v1', plural: 'roles' },
  RoleBinding: { group: 'rbac.authorization.k8s.io', version: 'v1', plural: 'rolebindings' },
  ClusterRole: { group: 'rbac.authorization.k8s.io', version: 'v1', plural: 'clusterroles' },
  ClusterRoleBinding: { group: 'rbac.authorization.k8s.io', version: 'v1', plural: 'clusterrolebindings' },
  CustomResourceDefinition: { group: 'apiextensions.k8s.io', version: 'v1', plural: 'customresourcedefinitions' },
};

const purposes: Readonly<Record<string, string>> = { ManagedControlPlane: 'mcp', WorkloadCluster: 'workload' };

/** The managed objects that the service object lists, as far as their kinds are known here. */
export async function placedResources(
  context: ValidationContext,
  tenant: ValidationTenant,
  object: ValidatedObject,
): Promise<readonly PlacedResource[]> {
  const placed = (object.status?.resources ?? []).map(resource => place(context, tenant, resource));
  return (await Promise.all(placed)).filter(resource => resource !== undefined);
}

async function place(
  context: ValidationContext,
  tenant: ValidationTenant,
  { kind, name, namespace, location = '' }: ManagedResource,
): Promise<PlacedResource | undefined> {
  const resource = wellKnown[kind];
  const purpose = purposes[location];
  if (resource === undefined || purpose === undefined) return undefined;
  const client = await context.connect(await clusterOf(context, tenant, purpose));
  return { client, kind, ref: { ...resource, name, ...(namespace ? { namespace } : {}) } };
}
