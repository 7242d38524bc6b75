import type { JsonObject, KubeObject } from '@chandlery/api';
import type { Client, ObjectRef } from '@chandlery/client';
import { findCondition, isConditionTrue } from '@chandlery/runtime';
import { ownerKeysOf } from '../../objects/ownership.ts';
import { placedResources } from '../resources.ts';
import { clusterOf, requestsOf, serviceReady, serviceRef, serviceRemoved, type ValidatedObject } from '../tenants.ts';
import {
  drop,
  find,
  hold,
  resourceOf,
  type UntilOptions,
  until,
  type ValidationContext,
  type ValidationTenant,
} from '../validation-context.ts';
import { tenantKubeconfig } from './consume.ts';

/** A client of the tenant's control plane, and the reference of the domain object there. */
async function domainOf(
  context: ValidationContext,
  tenant: ValidationTenant,
  object: KubeObject,
): Promise<{ readonly client: Client; readonly ref: ObjectRef }> {
  const client = context.open(await tenantKubeconfig(context, tenant));
  const { name = '', namespace = 'default' } = object.metadata;
  return { client, ref: { ...(await resourceOf(client, object)), namespace, name } };
}

/** 3: the tenant uses the domain API on its own control plane, and the domain service acts on it. */
export async function checkDomain(
  context: ValidationContext,
  tenant: ValidationTenant,
  options: UntilOptions = {},
): Promise<void> {
  const { domain } = context.file;
  if (domain === undefined) return;
  const { client, ref } = await domainOf(context, tenant, domain.object);
  const { name: _, ...collection } = ref;
  await client.create(collection, domain.object);
  const look = async (): Promise<boolean> => {
    const { status = {} } = await client.get<KubeObject & { status?: JsonObject }>(ref);
    return Object.entries(domain.status).every(([field, value]) => status[field] === value);
  };
  await until(context, `the domain service to act on ${domain.object.kind} "${ref.name}"`, look, options);
}

/** 4a: a service that the tenant still uses is not deleted. */
export async function checkBlockedDelete(context: ValidationContext, tenant: ValidationTenant): Promise<void> {
  const { domain } = context.file;
  if (domain === undefined) return;
  await drop(context.onboarding, serviceRef(context, tenant));
  const blocked = await until(context, 'the deletion to be blocked', async () => {
    const object = await context.onboarding.get<ValidatedObject>(serviceRef(context, tenant));
    return isConditionTrue(object, 'DeletionBlocked') && object;
  });
  const { message = '' } = findCondition(blocked, 'DeletionBlocked') ?? {};
  hold(blocked.status?.phase === 'Terminating', `the phase is ${blocked.status?.phase ?? 'missing'}, not Terminating`);
  hold(message.includes(domain.object.kind) && message.includes('1'), `kind and count are not in: ${message}`);
  const { client, ref } = await domainOf(context, tenant, domain.object);
  hold((await client.get(ref)).metadata.deletionTimestamp === undefined, 'the domain object is being deleted');
}

/** Deletes what the tenant created on its control plane. */
export async function dropDomainObject(context: ValidationContext, tenant: ValidationTenant): Promise<void> {
  const { domain } = context.file;
  if (domain === undefined) return;
  const { client, ref } = await domainOf(context, tenant, domain.object);
  await drop(client, ref);
}

/** What all tenants use on a shared cluster, such as a kind, stays for the others. */
function isOfOthers(object: KubeObject, { namespace, name }: ValidationTenant): boolean {
  const owners = ownerKeysOf(object);
  return owners.length > 0 && !owners.includes(`${namespace}/${name}`);
}

/** 4b: after the tenant's own objects, everything of this tenant is deleted, and nothing of others. */
export async function checkDelete(
  context: ValidationContext,
  tenant: ValidationTenant,
  other: ValidationTenant,
): Promise<void> {
  const object = await find<ValidatedObject>(context.onboarding, serviceRef(context, tenant));
  const resources = object === undefined ? [] : await placedResources(context, tenant, object);
  await dropDomainObject(context, tenant);
  await drop(context.onboarding, serviceRef(context, tenant));
  await serviceRemoved(context, tenant);
  for (const { client, ref, kind } of resources) {
    const left = await find(client, ref);
    hold(left === undefined || isOfOthers(left, tenant), `${kind} "${ref.name}" is still there`);
  }
  await until(context, `the requests of "${tenant.name}" to be released`, async () => {
    const { clusters } = await requestsOf(context, tenant);
    return clusters.every(({ spec }) => spec.purpose !== 'workload');
  });
  await clusterOf(context, other, 'workload').catch(() => undefined);
  await serviceReady(context, other);
}
