import type { JsonObject, KubeObject } from '@chandlery/api';
import type { Client, ObjectRef } from '@chandlery/client';
import { findCondition, isConditionTrue } from '@chandlery/runtime';
import { placedResources } from '../resources.ts';
import { clusterOf, requestsOf, serviceGone, serviceReady, serviceRef, type ValidatedObject } from '../tenants.ts';
import {
  drop,
  find,
  hold,
  resourceOf,
  type UntilOptions,
  until,
  type ValidationTenant,
  type ValidationWorld,
} from '../world.ts';
import { tenantKubeconfig } from './consume.ts';

/** The tenant's view of its control plane, and where the domain object is there. */
async function domainOf(
  world: ValidationWorld,
  tenant: ValidationTenant,
  object: KubeObject,
): Promise<{ readonly client: Client; readonly ref: ObjectRef }> {
  const client = world.open(await tenantKubeconfig(world, tenant));
  const { name = '', namespace = 'default' } = object.metadata;
  return { client, ref: { ...(await resourceOf(client, object)), namespace, name } };
}

/** 3: the tenant uses the domain API on its own control plane, and the domain service acts on it. */
export async function checkDomain(
  world: ValidationWorld,
  tenant: ValidationTenant,
  options: UntilOptions = {},
): Promise<void> {
  const { domain } = world.file;
  if (domain === undefined) return;
  const { client, ref } = await domainOf(world, tenant, domain.object);
  const { name: _, ...collection } = ref;
  await client.create(collection, domain.object);
  const look = async (): Promise<boolean> => {
    const { status = {} } = await client.get<KubeObject & { status?: JsonObject }>(ref);
    return Object.entries(domain.status).every(([field, value]) => status[field] === value);
  };
  await until(world, `the domain service to act on ${domain.object.kind} "${ref.name}"`, look, options);
}

/** 4a: what the tenant still uses is not taken away. */
export async function checkBlockedDelete(world: ValidationWorld, tenant: ValidationTenant): Promise<void> {
  const { domain } = world.file;
  if (domain === undefined) return;
  await drop(world.onboarding, serviceRef(world, tenant));
  const blocked = await until(world, 'the deletion to be blocked', async () => {
    const object = await world.onboarding.get<ValidatedObject>(serviceRef(world, tenant));
    return isConditionTrue(object, 'DeletionBlocked') && object;
  });
  const { message = '' } = findCondition(blocked, 'DeletionBlocked') ?? {};
  hold(blocked.status?.phase === 'Terminating', `the phase is ${blocked.status?.phase ?? 'missing'}, not Terminating`);
  hold(message.includes(domain.object.kind) && message.includes('1'), `kind and count are not in: ${message}`);
  const { client, ref } = await domainOf(world, tenant, domain.object);
  hold((await client.get(ref)).metadata.deletionTimestamp === undefined, 'the domain object is being deleted');
}

/** The tenant lets go of what it made on its control plane. */
export async function dropDomainObject(world: ValidationWorld, tenant: ValidationTenant): Promise<void> {
  const { domain } = world.file;
  if (domain === undefined) return;
  const { client, ref } = await domainOf(world, tenant, domain.object);
  await drop(client, ref);
}

/** 4b: once the tenant has let go, everything of this tenant goes, and nothing of others. */
export async function checkDelete(
  world: ValidationWorld,
  tenant: ValidationTenant,
  other: ValidationTenant,
): Promise<void> {
  const object = await find<ValidatedObject>(world.onboarding, serviceRef(world, tenant));
  const resources = object === undefined ? [] : await placedResources(world, tenant, object);
  await dropDomainObject(world, tenant);
  await drop(world.onboarding, serviceRef(world, tenant));
  await serviceGone(world, tenant);
  for (const { client, ref, kind } of resources) {
    hold((await find(client, ref)) === undefined, `${kind} "${ref.name}" is still there`);
  }
  await until(world, `the requests of "${tenant.name}" to be released`, async () => {
    const { clusters } = await requestsOf(world, tenant);
    return clusters.every(({ spec }) => spec.purpose !== 'workload');
  });
  await clusterOf(world, other, 'workload').catch(() => undefined);
  await serviceReady(world, other);
}
