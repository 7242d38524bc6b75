import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonObject } from '@chandlery/api';
import { providerNames } from '@chandlery/providers/kinds';
import { findCondition, isConditionTrue } from '@chandlery/runtime';
import {
  createControlPlane,
  createService,
  serviceGone,
  serviceReady,
  serviceRef,
  type ValidatedObject,
} from '../tenants.ts';
import { drop, hold, until, type ValidationTenant, type ValidationWorld } from '../world.ts';

/** How long nothing must happen before it counts as nothing. */
const quietMs = 1500;

const annotate = (world: ValidationWorld, tenant: ValidationTenant, value: string | null): Promise<unknown> =>
  world.onboarding.patch(serviceRef(world, tenant), {
    type: 'merge',
    body: { metadata: { annotations: { [providerNames.operationAnnotation]: value } } },
  });

const patchSpec = (world: ValidationWorld, tenant: ValidationTenant, spec: JsonObject): Promise<ValidatedObject> =>
  world.onboarding.patch<ValidatedObject>(serviceRef(world, tenant), { type: 'merge', body: { spec } });

const read = (world: ValidationWorld, tenant: ValidationTenant): Promise<ValidatedObject> =>
  world.onboarding.get<ValidatedObject>(serviceRef(world, tenant));

/** 2d: `ignore` pauses visibly, taking it away applies what was changed meanwhile, `reconcile` asks for one pass. */
export async function checkOperations(world: ValidationWorld, tenant: ValidationTenant): Promise<void> {
  const before = await serviceReady(world, tenant);
  await annotate(world, tenant, 'ignore');
  await patchSpec(world, tenant, world.file.update);
  await until(world, 'the pause to be shown', async () => isPaused(await read(world, tenant)));
  await sleep(quietMs, undefined, { signal: world.signal });
  const paused = await read(world, tenant);
  hold(
    paused.status?.observedGeneration === before.status?.observedGeneration,
    'the changed spec was observed although the object is paused',
  );
  await annotate(world, tenant, null);
  await serviceReady(world, tenant);
  await patchSpec(world, tenant, undone(world.file));
  await serviceReady(world, tenant);
  await annotate(world, tenant, 'reconcile');
  await until(world, 'the request for a pass to be answered', async () => {
    const { annotations = {} } = (await read(world, tenant)).metadata;
    return annotations[providerNames.operationAnnotation] === undefined;
  });
  await serviceReady(world, tenant);
}

/** The patch that brings back the spec of before. */
const undone = ({ update, service }: ValidationWorld['file']): JsonObject => ({
  ...Object.fromEntries(Object.keys(update).map(field => [field, null])),
  ...service.spec,
});

const isPaused = (object: ValidatedObject): boolean =>
  isConditionTrue(object, 'Paused') || findCondition(object, 'Synced')?.reason === 'ReconcilePaused';

/** 2e: a wish that cannot be granted is refused in words, and not tried again and again. */
export async function checkUserError(world: ValidationWorld, tenant: ValidationTenant): Promise<void> {
  const { userError, service } = world.file;
  if (userError === undefined) return;
  await patchSpec(world, tenant, userError.spec);
  const ready = await until(world, 'the wrong wish to be refused', async () => {
    const object = await read(world, tenant);
    const condition = findCondition(object, 'Ready');
    return (
      object.status?.observedGeneration === object.metadata.generation && condition?.status === 'False' && condition
    );
  });
  for (const words of userError.message) {
    hold(ready.message?.includes(words) === true, `"${words}" is not in the message: ${ready.message ?? ''}`);
  }
  const { metadata } = await read(world, tenant);
  await sleep(quietMs, undefined, { signal: world.signal });
  hold(
    (await read(world, tenant)).metadata.resourceVersion === metadata.resourceVersion,
    'the object is written again and again although nothing changed',
  );
  await patchSpec(world, tenant, service.spec);
  await serviceReady(world, tenant);
}

/** 2f: a change of the ProviderConfig reaches every object. */
export async function checkConfigChange(world: ValidationWorld, tenants: readonly ValidationTenant[]): Promise<void> {
  const { configChange: spec, config } = world.file;
  if (spec === undefined) return;
  const ref = { ...world.configs, name: config.metadata.name ?? '' };
  const { metadata } = await world.platform.patch(ref, { type: 'merge', body: { spec } });
  for (const tenant of tenants) {
    await until(world, `"${tenant.name}" to follow the changed configuration`, async () => {
      const { status } = await read(world, tenant);
      return (status?.configGeneration ?? 0) >= (metadata.generation ?? 0);
    });
    await serviceReady(world, tenant);
  }
}

/** 2g: the provider dies while it creates; nothing is there twice afterwards. */
export async function checkCrash(world: ValidationWorld, name: string): Promise<void> {
  const tenant = await createControlPlane(world, name);
  await createService(world, tenant);
  await killProvider(world);
  const object = await serviceReady(world, tenant);
  const entries = (object.status?.resources ?? []).map(entry => [
    entry.location,
    entry.kind,
    entry.namespace,
    entry.name,
  ]);
  const unique = new Set(entries.map(parts => parts.join('/')));
  hold(unique.size === entries.length, 'status.resources names an object twice');
  await drop(world.onboarding, serviceRef(world, tenant));
  await serviceGone(world, tenant);
}

async function killProvider({ platform, file }: ValidationWorld): Promise<void> {
  const pods = { group: '', version: 'v1', plural: 'pods', namespace: 'openmcp-system' };
  const { items } = await platform.list(pods);
  const own = items.filter(({ metadata }) => metadata.name?.startsWith(`sp-${file.provider}-`));
  for (const { metadata } of own) {
    await platform.delete({ ...pods, name: metadata.name ?? '' }, { gracePeriodSeconds: 0 });
  }
}
