import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonObject } from '@chandlery/api';
import { providerNames } from '@chandlery/providers/kinds';
import { findCondition, isConditionTrue } from '@chandlery/runtime';
import {
  createControlPlane,
  createService,
  serviceReady,
  serviceRef,
  serviceRemoved,
  type ValidatedObject,
} from '../tenants.ts';
import { drop, hold, until, type ValidationContext, type ValidationTenant } from '../validation-context.ts';

/** How long to wait before the absence of changes counts. */
const quietMs = 1500;

const annotate = (context: ValidationContext, tenant: ValidationTenant, value: string | null): Promise<unknown> =>
  context.onboarding.patch(serviceRef(context, tenant), {
    type: 'merge',
    body: { metadata: { annotations: { [providerNames.operationAnnotation]: value } } },
  });

const patchSpec = (context: ValidationContext, tenant: ValidationTenant, spec: JsonObject): Promise<ValidatedObject> =>
  context.onboarding.patch<ValidatedObject>(serviceRef(context, tenant), { type: 'merge', body: { spec } });

const read = (context: ValidationContext, tenant: ValidationTenant): Promise<ValidatedObject> =>
  context.onboarding.get<ValidatedObject>(serviceRef(context, tenant));

/** 2d: `ignore` pauses, removing it applies pending changes, `reconcile` requests one reconcile. */
export async function checkOperations(context: ValidationContext, tenant: ValidationTenant): Promise<void> {
  const before = await serviceReady(context, tenant);
  await annotate(context, tenant, 'ignore');
  await patchSpec(context, tenant, context.file.update);
  await until(context, 'the pause to be shown', async () => isPaused(await read(context, tenant)));
  await sleep(quietMs, undefined, { signal: context.signal });
  const paused = await read(context, tenant);
  hold(
    paused.status?.observedGeneration === before.status?.observedGeneration,
    'the changed spec was observed although the object is paused',
  );
  await annotate(context, tenant, null);
  await serviceReady(context, tenant);
  await patchSpec(context, tenant, undone(context.file));
  await serviceReady(context, tenant);
  await annotate(context, tenant, 'reconcile');
  await until(context, 'the request for a pass to be answered', async () => {
    const { annotations = {} } = (await read(context, tenant)).metadata;
    return annotations[providerNames.operationAnnotation] === undefined;
  });
  await serviceReady(context, tenant);
}

/** The patch that restores the previous spec. */
const undone = ({ update, service }: ValidationContext['file']): JsonObject => ({
  ...Object.fromEntries(Object.keys(update).map(field => [field, null])),
  ...service.spec,
});

const isPaused = (object: ValidatedObject): boolean =>
  isConditionTrue(object, 'Paused') || findCondition(object, 'Synced')?.reason === 'ReconcilePaused';

/** 2e: a spec that cannot be fulfilled is rejected with a message, and not retried. */
export async function checkUserError(context: ValidationContext, tenant: ValidationTenant): Promise<void> {
  const { userError, service } = context.file;
  if (userError === undefined) return;
  await patchSpec(context, tenant, userError.spec);
  const ready = await until(context, 'the invalid spec to be rejected', async () => {
    const object = await read(context, tenant);
    const condition = findCondition(object, 'Ready');
    return (
      object.status?.observedGeneration === object.metadata.generation && condition?.status === 'False' && condition
    );
  });
  for (const words of userError.message) {
    hold(ready.message?.includes(words) === true, `"${words}" is not in the message: ${ready.message ?? ''}`);
  }
  const { metadata } = await read(context, tenant);
  await sleep(quietMs, undefined, { signal: context.signal });
  hold(
    (await read(context, tenant)).metadata.resourceVersion === metadata.resourceVersion,
    'the object is written again and again although nothing changed',
  );
  await patchSpec(context, tenant, service.spec);
  await serviceReady(context, tenant);
}

/** 2f: a change of the ProviderConfig reaches every object. */
export async function checkConfigChange(
  context: ValidationContext,
  tenants: readonly ValidationTenant[],
): Promise<void> {
  const { configChange: spec, config } = context.file;
  if (spec === undefined) return;
  const ref = { ...context.configs, name: config.metadata.name ?? '' };
  const { metadata } = await context.platform.patch(ref, { type: 'merge', body: { spec } });
  for (const tenant of tenants) {
    await until(context, `"${tenant.name}" to follow the changed configuration`, async () => {
      const { status } = await read(context, tenant);
      return (status?.configGeneration ?? 0) >= (metadata.generation ?? 0);
    });
    await serviceReady(context, tenant);
  }
}

/** 2g: the provider crashes while it creates; nothing exists twice afterwards. */
export async function checkCrash(context: ValidationContext, name: string): Promise<void> {
  const tenant = await createControlPlane(context, name);
  await createService(context, tenant);
  await killProvider(context);
  const object = await serviceReady(context, tenant);
  const entries = (object.status?.resources ?? []).map(entry => [
    entry.location,
    entry.kind,
    entry.namespace,
    entry.name,
  ]);
  const unique = new Set(entries.map(parts => parts.join('/')));
  hold(unique.size === entries.length, 'status.resources names an object twice');
  await drop(context.onboarding, serviceRef(context, tenant));
  await serviceRemoved(context, tenant);
}

async function killProvider({ platform, file }: ValidationContext): Promise<void> {
  const pods = { group: '', version: 'v1', plural: 'pods', namespace: 'openmcp-system' };
  const { items } = await platform.list(pods);
  const own = items.filter(({ metadata }) => metadata.name?.startsWith(`sp-${file.provider}-`));
  for (const { metadata } of own) {
    await platform.delete({ ...pods, name: metadata.name ?? '' }, { gracePeriodSeconds: 0 });
  }
}
