import type { JsonObject, KubeObject } from '@chandlery/api';
import { findCondition } from '@chandlery/runtime';
import {
  createControlPlane,
  createService,
  serviceReady,
  serviceRef,
  serviceRemoved,
  type ValidatedObject,
} from '../tenants.ts';
import { drop, find, hold, until, type ValidationContext, type ValidationTenant } from '../validation-context.ts';

const read = (context: ValidationContext, tenant: ValidationTenant): Promise<ValidatedObject> =>
  context.onboarding.get<ValidatedObject>(serviceRef(context, tenant));

const patchSpec = (context: ValidationContext, tenant: ValidationTenant, spec: JsonObject): Promise<unknown> =>
  context.onboarding.patch(serviceRef(context, tenant), { type: 'merge', body: { spec } });

/** 2h: a service that is only observed is not created; an invalid combination is rejected. */
export async function checkPolicies(context: ValidationContext, name: string): Promise<void> {
  const tenant = await createControlPlane(context, name);
  const refused = await createService(context, tenant, { managementPolicies: ['Create'] }).then(
    () => 'nothing',
    (error: Error) => error.message,
  );
  hold(/Observe/.test(refused), `managementPolicies without Observe got ${refused}`);
  await createService(context, tenant, { managementPolicies: ['Observe'] });
  const missing = await until(context, `"${name}" to say that it does not exist`, async () => {
    const ready = findCondition(await read(context, tenant), 'Ready');
    return ready?.reason === 'Missing' && { message: ready.message ?? '' };
  });
  hold(missing.message.includes('managementPolicies'), `what keeps it from being made is not in: ${missing.message}`);
}

/** 2i: an object chooses its configuration; a missing one is reported, an unused one says so. */
export async function checkConfigChoice(context: ValidationContext, tenant: ValidationTenant): Promise<void> {
  const { platform, configs, file } = context;
  const name = `${context.id}-other`;
  const ref = { ...configs, name };
  await patchSpec(context, tenant, { managementPolicies: ['*'], providerConfigRef: { name } });
  await until(context, `the missing configuration "${name}" to be named`, async () =>
    findCondition(await read(context, tenant), 'Ready')?.message?.includes(`"${name}"`),
  );
  try {
    await platform.create(configs, { ...file.config, metadata: { name } });
    await serviceReady(context, tenant);
    await until(context, `"${name}" to be in use`, async () => (await useOf(context, ref)) === 'UsedByObjects');
    await drop(platform, ref);
    hold((await find(platform, ref)) !== undefined, 'a configuration that is used could be deleted');
  } finally {
    await drop(context.onboarding, serviceRef(context, tenant));
    await drop(platform, ref);
  }
  await serviceRemoved(context, tenant);
  await until(context, `configuration "${name}" to be deleted`, async () => (await find(platform, ref)) === undefined);
}

async function useOf({ platform }: ValidationContext, ref: Parameters<typeof find>[1]): Promise<string | undefined> {
  const config = await find<KubeObject>(platform, ref);
  return config && findCondition(config, 'InUse')?.reason;
}
