import { isError, type KubeObject } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import { clusters as clusterKind, hostImages, tenantNamespace } from '@chandlery/clusters/kinds';
import {
  formerObjectOf,
  type Provider,
  type RetainedService,
  retainedNames,
  retainedServices,
} from '@chandlery/providers/kinds';
import { conditionsOf, isConditionTrue } from '@chandlery/runtime';
import { retainedServiceName } from '../../model/names.ts';
import { ownerKeysOf } from '../../objects/ownership.ts';
import { placedResources } from '../resources.ts';
import {
  controlPlaneRef,
  createControlPlane,
  createService,
  deleteWorkspace,
  requestsOf,
  serviceReady,
  serviceRef,
  serviceRemoved,
} from '../tenants.ts';
import { drop, find, hold, until, type ValidationContext, type ValidationTenant } from '../validation-context.ts';
import { checkDomain, dropDomainObject } from './domain.ts';
import { endCredentials } from './end-credentials.ts';
import { isOwnImage, providerRef } from './install.ts';

const crds = { group: 'apiextensions.k8s.io', version: 'v1', plural: 'customresourcedefinitions' };
const managedBy = 'openmcp.cloud/managed-by';

/** 4d: with the policy Orphan the service continues to run when its object is deleted, held by a RetainedService. */
export async function checkOrphan(context: ValidationContext, name: string): Promise<void> {
  const tenant = await createControlPlane(context, name);
  await createService(context, tenant, { deletionPolicy: 'Orphan' });
  const resources = await placedResources(context, tenant, await serviceReady(context, tenant));
  await drop(context.onboarding, serviceRef(context, tenant));
  await serviceRemoved(context, tenant);
  for (const { client, ref, kind } of resources) {
    const { metadata } = await client.get(ref);
    hold(metadata.deletionTimestamp === undefined, `${kind} "${ref.name}" is being deleted`);
    const isHeld = metadata.labels?.[retainedNames.handedOverLabel] === 'true';
    hold(isHeld, `${kind} "${ref.name}" does not say that it was handed over`);
  }
  await retainedReady(context, tenant);
}

/** Programs may cache a token that they read from a file for a minute, and back off after failures. */
const renewedWithinMs = 240_000;

/** 4e: the service still works after its credentials have expired, as they do within days. */
export async function checkKept(context: ValidationContext, tenant: ValidationTenant): Promise<void> {
  await retainedReady(context, tenant);
  await endCredentials(context, tenant);
  await retainedReady(context, tenant);
  if (context.file.domain === undefined || context.file.domain.needsProvider === true) return;
  await checkDomain(context, tenant, { timeoutMs: renewedWithinMs });
  await dropDomainObject(context, tenant);
}

/** 4f: a new object of the same name takes the service over unchanged, and can release it again. */
export async function checkAdoption(context: ValidationContext, tenant: ValidationTenant): Promise<void> {
  await createService(context, tenant, { deletionPolicy: 'Orphan' });
  const object = await serviceReady(context, tenant);
  const ref = retainedRef(context, tenant);
  await until(
    context,
    'the RetainedService to be deleted',
    async () => (await find(context.onboarding, ref)) === undefined,
  );
  const events = { group: '', version: 'v1', plural: 'events', namespace: tenant.namespace };
  await until(context, 'an event about what was taken over', async () =>
    (await context.onboarding.list(events)).items.some(({ reason }) => reason === 'Adopted'),
  );
  for (const { client, ref: placed, kind } of await placedResources(context, tenant, object)) {
    const live = await client.get(placed);
    // What others use too bears the label until the last of them has left.
    if (ownerKeysOf(live).some(key => key !== `${tenant.namespace}/${tenant.name}`)) continue;
    const isHeld = live.metadata.labels?.[retainedNames.handedOverLabel] !== undefined;
    hold(!isHeld, `${kind} "${placed.name}" is still handed over`);
  }
  await drop(context.onboarding, serviceRef(context, tenant));
  await serviceRemoved(context, tenant);
}

/** 4g: without its provider the service still works; deleting the RetainedService removes it completely. */
export async function checkEnd(context: ValidationContext, tenant: ValidationTenant): Promise<void> {
  await checkKept(context, tenant);
  const { clusters } = await requestsOf(context, tenant);
  const workload = clusters.find(({ spec }) => spec.purpose === 'workload')?.status?.cluster;
  const onWorkload = workload && (await context.connect(workload));
  await drop(context.onboarding, retainedRef(context, tenant));
  const ref = retainedRef(context, tenant);
  await until(context, 'the RetainedService to end', async () => (await find(context.onboarding, ref)) === undefined);
  const left = await requestsOf(context, tenant);
  const names = [...left.access, ...left.clusters].map(({ metadata }) => metadata.name ?? '');
  const own = names.filter(request => request.startsWith(`${context.file.provider}--`));
  hold(own.length === 0, `requests of the ended service are left: ${own.join(', ')}`);
  if (workload === undefined || onWorkload === undefined) return;
  const items = await handedOverNamespaces(context, workload, onWorkload);
  const former = formerObjectOf(context.file.provider, `${tenant.namespace}/${tenant.name}`);
  const rest = items.filter(({ metadata }) => metadata.annotations?.[retainedNames.formerObjectAnnotation] === former);
  hold(
    rest.length === 0,
    `namespaces of the ended service are left: ${rest.map(({ metadata }) => metadata.name).join(', ')}`,
  );
}

/** Namespaces that were handed over; none on a removed cluster, whose credentials end before it. */
async function handedOverNamespaces(
  context: ValidationContext,
  cluster: { readonly name: string; readonly namespace: string },
  client: Client,
): Promise<readonly KubeObject[]> {
  const namespaces = { group: '', version: 'v1', plural: 'namespaces' };
  const labelSelector = `${retainedNames.handedOverLabel}=true`;
  let items: readonly KubeObject[] = [];
  await until(context, `cluster "${cluster.name}" to be read or removed`, async () => {
    if ((await find(context.platform, { ...clusterKind.ref, ...cluster })) === undefined) return true;
    try {
      ({ items } = await client.list(namespaces, { labelSelector }));
      return true;
    } catch (error) {
      if (isError(error, 'Unauthorized', 'Forbidden', 'NotFound')) return false;
      throw error;
    }
  });
  return items;
}

const retainedRef = ({ file }: ValidationContext, { name, namespace }: ValidationTenant) => ({
  ...retainedServices.ref,
  namespace,
  name: retainedServiceName(file.service.kind, name),
});

const retainedReady = (context: ValidationContext, tenant: ValidationTenant): Promise<boolean> =>
  until(context, `the retained service of "${tenant.name}" to be ready`, async () =>
    isConditionTrue(await context.onboarding.get<RetainedService>(retainedRef(context, tenant)), 'Ready'),
  );

/** 4c: a provider that tenants still use waits and names them; after them it is removed completely. */
export async function checkProviderRemoval(context: ValidationContext, remaining: ValidationTenant): Promise<void> {
  const { platform } = context;
  const ref = providerRef(context);
  await drop(platform, ref);
  await until(context, 'the deletion of the provider to wait for its tenants', async () => {
    const provider = await platform.get<Provider>(ref);
    return conditionsOf(provider).some(({ message = '' }) => message.includes(context.file.service.kind));
  });
  await checkNoNewOrders(context);
  await serviceReady(context, remaining);
  await drop(context.onboarding, serviceRef(context, remaining));
  await serviceRemoved(context, remaining);
  await leaveShared(context);
  await until(context, 'the provider to be deleted', async () => (await find(platform, ref)) === undefined);
  await checkNothingLeft(context);
}

/** What all tenants share blocks the removal of its provider; here it is released for the orphaned service. */
async function leaveShared(context: ValidationContext): Promise<void> {
  const { platform, configs, file } = context;
  const ref = { ...configs, name: file.config.metadata.name ?? '' };
  const config = await find<KubeObject>(platform, ref);
  if (config?.metadata.finalizers?.includes(`${configs.group}/shared`) !== true) return;
  await platform.patch(providerRef(context), { type: 'merge', body: { spec: { deletionPolicy: 'Orphan' } } });
  await drop(platform, ref);
}

async function checkNoNewOrders(context: ValidationContext): Promise<void> {
  const answer = await createService(context, { name: 'late', namespace: context.namespace }).then(
    () => 'it was taken',
    (error: Error) => error.message,
  );
  hold(answer.includes('is being removed'), `a new order while the provider is being removed: ${answer}`);
}

async function checkNothingLeft({ platform, onboarding, file }: ValidationContext): Promise<void> {
  const name = `sp-${file.provider}`;
  const at = { namespace: 'openmcp-system' };
  const places = [
    { client: onboarding, ref: crds },
    { client: platform, ref: crds },
    { client: platform, ref: { group: 'apps', version: 'v1', plural: 'deployments', ...at } },
    { client: platform, ref: { group: 'batch', version: 'v1', plural: 'jobs', ...at } },
    { client: platform, ref: { group: '', version: 'v1', plural: 'services', ...at } },
    { client: platform, ref: { group: '', version: 'v1', plural: 'serviceaccounts', ...at } },
    { client: platform, ref: { group: 'rbac.authorization.k8s.io', version: 'v1', plural: 'clusterroles' } },
    { client: platform, ref: { group: 'rbac.authorization.k8s.io', version: 'v1', plural: 'clusterrolebindings' } },
  ];
  for (const { client, ref } of places) {
    const { items } = await client.list(ref);
    const left = items.filter(object => isOf(object, name, file.provider)).map(({ metadata }) => metadata.name);
    hold(left.length === 0, `${ref.plural} of the provider are left: ${left.join(', ')}`);
  }
}

const isOf = ({ metadata }: KubeObject, name: string, provider: string): boolean =>
  metadata.labels?.[managedBy] === provider || metadata.name === name || metadata.name?.startsWith(`${name}-`) === true;

/** Deletes orders that a failed row has left: released ones become RetainedServices, which end next. */
async function dropServices(context: ValidationContext, tenants: readonly string[]): Promise<void> {
  const { onboarding, namespace, services } = context;
  if (services.plural === '') return;
  for (const name of tenants) await drop(onboarding, serviceRef(context, { name, namespace }));
  for (const name of tenants) await serviceRemoved(context, { name, namespace });
}

/** Deletes what a failed row has left, which would block the end. */
async function endRetained(context: ValidationContext, tenants: readonly string[]): Promise<void> {
  for (const name of tenants) {
    const ref = retainedRef(context, { name, namespace: context.namespace });
    await drop(context.onboarding, ref);
    await until(
      context,
      `RetainedService "${ref.name}" to be deleted`,
      async () => (await find(context.onboarding, ref)) === undefined,
    );
  }
}

/** TEARDOWN: the tenants are deleted, and nothing of them is left on the platform cluster. */
export async function tearDown(context: ValidationContext, tenants: readonly string[]): Promise<void> {
  const { onboarding, platform, namespace } = context;
  await forgetDomainObjects(context, tenants);
  await dropServices(context, tenants);
  await endRetained(context, tenants);
  for (const name of tenants) await drop(onboarding, controlPlaneRef({ name, namespace }));
  for (const name of tenants) {
    const ref = controlPlaneRef({ name, namespace });
    await until(
      context,
      `control plane "${name}" to be deleted`,
      async () => (await find(onboarding, ref)) === undefined,
    );
    const kept = { group: '', version: 'v1', plural: 'namespaces', name: tenantNamespace(namespace, name) };
    hold((await find(platform, kept)) === undefined, `namespace "${kept.name}" is left on the platform cluster`);
  }
  await deleteWorkspace(context);
  await dropHostImages(context);
}

/**
 * Deletes images of the validation. Those that existed before have other field managers too, and stay, as do those in
 * use.
 */
async function dropHostImages(context: ValidationContext): Promise<void> {
  const { platform, file } = context;
  if ((await find(platform, providerRef(context))) !== undefined) return;
  for (const { kind, metadata } of file.install) {
    if (kind !== hostImages.kind) continue;
    const ref = { ...hostImages.ref, name: metadata.name ?? '' };
    const image = await find(platform, ref);
    if (image !== undefined && isOwnImage(image)) await drop(platform, ref);
  }
}

/** Deletes what a failed row has left on control planes, which would block the end. */
async function forgetDomainObjects(context: ValidationContext, tenants: readonly string[]): Promise<void> {
  for (const name of tenants) {
    await dropDomainObject(context, { name, namespace: context.namespace }).catch(() => undefined);
  }
}
