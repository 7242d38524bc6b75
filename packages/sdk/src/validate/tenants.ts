import type { JsonObject, KubeObject } from '@chandlery/api';
import type { ObjectRef } from '@chandlery/client';
import {
  type AccessRequest,
  accessRequests,
  type ClusterRequest,
  clusterRequests,
  tenantNamespace,
} from '@chandlery/clusters/kinds';
import { type ControlPlane, controlPlanes, projects, type Tenant, workspaces } from '@chandlery/providers/kinds';
import { findCondition, isConditionTrue } from '@chandlery/runtime';
import { sharedPlace } from '../model/access-requirements.ts';
import { drop, find, hold, until, type ValidationContext, type ValidationTenant } from './validation-context.ts';

/** A service object, as far as validations read it. */
export interface ValidatedObject extends KubeObject {
  spec: JsonObject;
  status?: {
    phase?: string;
    observedGeneration?: number;
    configGeneration?: number;
    resources?: ManagedResource[];
    connectionSecretRef?: { readonly name: string };
  };
}

export interface ManagedResource {
  readonly apiGroup?: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
  readonly phase?: string;
  readonly location?: string;
}

export const serviceRef = ({ services }: ValidationContext, { name, namespace }: ValidationTenant): ObjectRef => ({
  ...services,
  namespace,
  name,
});

export const controlPlaneRef = ({ name, namespace }: ValidationTenant): ObjectRef => ({
  ...controlPlanes.ref,
  namespace,
  name,
});

/** Creates a project and a workspace for the tenants of a validation. Returns the namespace of the workspace. */
export async function createWorkspace(
  context: Pick<ValidationContext, 'onboarding' | 'id' | 'progress' | 'signal'>,
): Promise<string> {
  const { onboarding, id } = context;
  await onboarding.create(projects.ref, projects.object({ name: id }, { members: [] }));
  const namespace = await namespaceOf(context, { ...projects.ref, name: id });
  await onboarding.create({ ...workspaces.ref, namespace }, workspaces.object({ name: 'main' }, { members: [] }));
  return namespaceOf(context, { ...workspaces.ref, namespace, name: 'main' });
}

const namespaceOf = (
  context: Pick<ValidationContext, 'onboarding' | 'progress' | 'signal'>,
  ref: ObjectRef,
): Promise<string> =>
  until(context, `the namespace of ${ref.plural} "${ref.name}"`, async () => {
    const tenant = await context.onboarding.get<Tenant>(ref);
    return isConditionTrue(tenant, 'Ready') && tenant.status?.namespace;
  });

/** Deletes the project and its workspace, and waits. */
export async function deleteWorkspace(context: ValidationContext): Promise<void> {
  const { onboarding, id } = context;
  const workspace = { ...workspaces.ref, namespace: `project-${id}`, name: 'main' };
  for (const ref of [workspace, { ...projects.ref, name: id }]) {
    await drop(onboarding, ref);
    await until(
      context,
      `${ref.plural} "${ref.name}" to be deleted`,
      async () => (await find(onboarding, ref)) === undefined,
    );
  }
}

/** Creates a control plane and waits until it is ready. */
export async function createControlPlane(context: ValidationContext, name: string): Promise<ValidationTenant> {
  const tenant = { name, namespace: context.namespace };
  const { onboarding } = context;
  await onboarding.create({ ...controlPlanes.ref, namespace: tenant.namespace }, controlPlanes.object({ name }, {}));
  await until(context, `control plane "${name}" to be ready`, async () =>
    isConditionTrue(await onboarding.get<ControlPlane>(controlPlaneRef(tenant)), 'Ready'),
  );
  return tenant;
}

/** Orders the service, with another spec if one is given. */
export async function createService(
  context: ValidationContext,
  tenant: ValidationTenant,
  more: JsonObject = {},
): Promise<void> {
  const { apiVersion, kind, spec } = context.file.service;
  const { name, namespace } = tenant;
  const object = { apiVersion, kind, metadata: { name, namespace }, spec: { ...spec, ...more } };
  await context.onboarding.create({ ...context.services, namespace }, object);
}

/** Waits until the service object is synced and ready for its current generation. */
export const serviceReady = (context: ValidationContext, tenant: ValidationTenant): Promise<ValidatedObject> =>
  until(context, `"${tenant.name}" to be synced and ready`, async () => {
    const object = await context.onboarding.get<ValidatedObject>(serviceRef(context, tenant));
    const ready = findCondition(object, 'Ready');
    hold(isServing(object), `${ready?.reason ?? 'no Ready condition'} ${ready?.message ?? ''}`);
    return object;
  });

const isServing = (object: ValidatedObject): boolean =>
  isConditionTrue(object, 'Ready') &&
  isConditionTrue(object, 'Synced') &&
  object.status?.observedGeneration === object.metadata.generation;

/** The Secret with the connection details of a service; undefined when it has none. */
export function connectionRef({ metadata, status }: ValidatedObject): ObjectRef | undefined {
  const name = status?.connectionSecretRef?.name;
  if (name === undefined) return undefined;
  return { group: '', version: 'v1', plural: 'secrets', namespace: metadata.namespace ?? '', name };
}

/** Waits until the service object is deleted. */
export const serviceRemoved = (context: ValidationContext, tenant: ValidationTenant): Promise<boolean> =>
  until(
    context,
    `"${tenant.name}" to be deleted`,
    async () => (await find(context.onboarding, serviceRef(context, tenant))) === undefined,
  );

/** The requests of a tenant on the platform cluster. */
export async function requestsOf(
  { platform }: ValidationContext,
  { name, namespace }: ValidationTenant,
): Promise<{ readonly clusters: readonly ClusterRequest[]; readonly access: readonly AccessRequest[] }> {
  const at = { namespace: tenantNamespace(namespace, name) };
  const clusters = await platform.list<ClusterRequest>({ ...clusterRequests.ref, ...at });
  const access = await platform.list<AccessRequest>({ ...accessRequests.ref, ...at });
  return { clusters: clusters.items, access: access.items };
}

/** The cluster of a tenant for a purpose. */
export async function clusterOf(
  context: ValidationContext,
  tenant: ValidationTenant,
  purpose: string,
): Promise<{ readonly name: string; readonly namespace: string }> {
  const { clusters } = await requestsOf(context, tenant);
  const own = clusters.find(({ spec }) => spec.purpose === purpose)?.status?.cluster;
  const cluster = own ?? (purpose === 'workload' ? await sharedClusterOf(context) : undefined);
  hold(cluster !== undefined, `"${tenant.name}" has no cluster of purpose "${purpose}"`);
  return cluster;
}

/** The workload cluster that all tenants of the provider share; undefined when there is none. */
export async function sharedClusterOf({
  platform,
  file,
}: ValidationContext): Promise<{ readonly name: string; readonly namespace: string } | undefined> {
  const request = await find<ClusterRequest>(platform, { ...clusterRequests.ref, ...sharedPlace(file.provider, 'wl') });
  return request?.status?.cluster;
}
