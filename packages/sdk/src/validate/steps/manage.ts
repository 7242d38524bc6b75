import type { JsonObject, KubeObject } from '@chandlery/api';
import { findCondition } from '@chandlery/runtime';
import {
  createControlPlane,
  createService,
  serviceGone,
  serviceReady,
  serviceRef,
  type ValidatedObject,
} from '../tenants.ts';
import { drop, find, hold, until, type ValidationTenant, type ValidationWorld } from '../world.ts';

const read = (world: ValidationWorld, tenant: ValidationTenant): Promise<ValidatedObject> =>
  world.onboarding.get<ValidatedObject>(serviceRef(world, tenant));

const patchSpec = (world: ValidationWorld, tenant: ValidationTenant, spec: JsonObject): Promise<unknown> =>
  world.onboarding.patch(serviceRef(world, tenant), { type: 'merge', body: { spec } });

/** 2h: a service that is only observed is not made; a combination that means nothing is refused. */
export async function checkPolicies(world: ValidationWorld, name: string): Promise<void> {
  const tenant = await createControlPlane(world, name);
  const refused = await createService(world, tenant, { managementPolicies: ['Create'] }).then(
    () => 'nothing',
    (error: Error) => error.message,
  );
  hold(/Observe/.test(refused), `managementPolicies without Observe got ${refused}`);
  await createService(world, tenant, { managementPolicies: ['Observe'] });
  const missing = await until(world, `"${name}" to say that it does not exist`, async () => {
    const ready = findCondition(await read(world, tenant), 'Ready');
    return ready?.reason === 'Missing' && { message: ready.message ?? '' };
  });
  hold(missing.message.includes('managementPolicies'), `what keeps it from being made is not in: ${missing.message}`);
}

/** 2i: an order chooses its configuration; one that is missing is named, one that nobody uses says so. */
export async function checkConfigChoice(world: ValidationWorld, tenant: ValidationTenant): Promise<void> {
  const { platform, configs, file } = world;
  const name = `${world.id}-other`;
  const ref = { ...configs, name };
  await patchSpec(world, tenant, { managementPolicies: ['*'], providerConfigRef: { name } });
  await until(world, `the missing configuration "${name}" to be named`, async () =>
    findCondition(await read(world, tenant), 'Ready')?.message?.includes(`"${name}"`),
  );
  try {
    await platform.create(configs, { ...file.config, metadata: { name } });
    await serviceReady(world, tenant);
    await until(world, `"${name}" to be in use`, async () => (await useOf(world, ref)) === 'UsedByObjects');
    await drop(platform, ref);
    hold((await find(platform, ref)) !== undefined, 'a configuration that is used could be deleted');
  } finally {
    await drop(world.onboarding, serviceRef(world, tenant));
    await drop(platform, ref);
  }
  await serviceGone(world, tenant);
  await until(world, `configuration "${name}" to be gone`, async () => (await find(platform, ref)) === undefined);
}

async function useOf({ platform }: ValidationWorld, ref: Parameters<typeof find>[1]): Promise<string | undefined> {
  const config = await find<KubeObject>(platform, ref);
  return config && findCondition(config, 'InUse')?.reason;
}
