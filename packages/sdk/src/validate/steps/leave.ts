import type { KubeObject } from '@chandlery/api';
import { hostImages, tenantNamespace } from '@chandlery/clusters/kinds';
import type { Provider } from '@chandlery/providers/kinds';
import { conditionsOf } from '@chandlery/runtime';
import { placedResources } from '../resources.ts';
import {
  controlPlaneRef,
  createControlPlane,
  createService,
  deleteWorkspace,
  serviceGone,
  serviceReady,
  serviceRef,
} from '../tenants.ts';
import { drop, find, hold, until, type ValidationTenant, type ValidationWorld } from '../world.ts';
import { dropDomainObject } from './domain.ts';
import { fieldManager, providerRef } from './install.ts';

const crds = { group: 'apiextensions.k8s.io', version: 'v1', plural: 'customresourcedefinitions' };
const managedBy = 'openmcp.cloud/managed-by';

/** 4d: with the policy Orphan the service stays when its object goes, without the marks of ownership. */
export async function checkOrphan(world: ValidationWorld, name: string): Promise<void> {
  const tenant = await createControlPlane(world, name);
  await createService(world, tenant, { deletionPolicy: 'Orphan' });
  const resources = await placedResources(world, tenant, await serviceReady(world, tenant));
  await drop(world.onboarding, serviceRef(world, tenant));
  await serviceGone(world, tenant);
  for (const { client, ref, kind } of resources) {
    const { metadata } = await client.get(ref);
    hold(metadata.deletionTimestamp === undefined, `${kind} "${ref.name}" is being deleted`);
    hold(metadata.labels?.[managedBy] === undefined, `${kind} "${ref.name}" still carries the mark of its owner`);
  }
  for (const { client, ref } of resources.toReversed()) await drop(client, ref);
}

/** 4c: a provider that tenants still use waits, and names them; after them it goes without a trace. */
export async function checkProviderRemoval(world: ValidationWorld, remaining: ValidationTenant): Promise<void> {
  const { platform } = world;
  const ref = providerRef(world);
  await drop(platform, ref);
  await until(world, 'the deletion of the provider to wait for its tenants', async () => {
    const provider = await platform.get<Provider>(ref);
    return conditionsOf(provider).some(({ message = '' }) => message.includes(world.file.service.kind));
  });
  await serviceReady(world, remaining);
  await drop(world.onboarding, serviceRef(world, remaining));
  await serviceGone(world, remaining);
  await until(world, 'the provider to be gone', async () => (await find(platform, ref)) === undefined);
  await checkNothingLeft(world);
}

async function checkNothingLeft({ platform, onboarding, file }: ValidationWorld): Promise<void> {
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

/** TEARDOWN: the tenants go, and the platform cluster keeps nothing of them. */
export async function tearDown(world: ValidationWorld, tenants: readonly string[]): Promise<void> {
  const { onboarding, platform, namespace } = world;
  await forgetDomainObjects(world, tenants);
  for (const name of tenants) await drop(onboarding, controlPlaneRef({ name, namespace }));
  for (const name of tenants) {
    const ref = controlPlaneRef({ name, namespace });
    await until(world, `control plane "${name}" to be gone`, async () => (await find(onboarding, ref)) === undefined);
    const kept = { group: '', version: 'v1', plural: 'namespaces', name: tenantNamespace(namespace, name) };
    hold((await find(platform, kept)) === undefined, `namespace "${kept.name}" is left on the platform cluster`);
  }
  await deleteWorkspace(world);
  await dropHostImages(world);
}

/** Images that were there before the validation have other managers beside ours, and stay; as do those still needed. */
async function dropHostImages(world: ValidationWorld): Promise<void> {
  const { platform, file } = world;
  if ((await find(platform, providerRef(world))) !== undefined) return;
  for (const { kind, metadata } of file.install) {
    if (kind !== hostImages.kind) continue;
    const ref = { ...hostImages.ref, name: metadata.name ?? '' };
    const managers = (await find(platform, ref))?.metadata.managedFields ?? [];
    if (managers.length > 0 && managers.every(({ manager }) => manager === fieldManager)) await drop(platform, ref);
  }
}

/** What a row that failed has left on control planes would block the end. */
async function forgetDomainObjects(world: ValidationWorld, tenants: readonly string[]): Promise<void> {
  for (const name of tenants) {
    await dropDomainObject(world, { name, namespace: world.namespace }).catch(() => undefined);
  }
}
