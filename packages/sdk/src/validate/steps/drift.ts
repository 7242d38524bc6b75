import type { JsonObject, KubeObject } from '@chandlery/api';
import { isConditionTrue } from '@chandlery/runtime';
import { type PlacedResource, placedResources } from '../resources.ts';
import { connectionRef, serviceReady, type ValidatedObject } from '../tenants.ts';
import { find, hold, until, type ValidationContext, type ValidationTenant } from '../validation-context.ts';

/** Kinds whose deletion is repaired without affecting other objects, in order of preference. */
const deletable = ['Deployment', 'StatefulSet', 'ConfigMap', 'Secret'];

/** 2c: what another client deletes or edits on a cluster is restored. */
export async function checkDrift(context: ValidationContext, tenant: ValidationTenant): Promise<void> {
  const object = await serviceReady(context, tenant);
  const resources = await placedResources(context, tenant, object);
  const workload = deletable
    .map(wanted => resources.find(({ kind }) => kind === wanted))
    .find(found => found !== undefined);
  const definition = resources.find(({ kind }) => kind === 'CustomResourceDefinition');
  if (workload === undefined && definition === undefined) return checkConnection(context, object);
  if (workload !== undefined) {
    await checkRestored(context, workload);
    await checkEditUndone(context, workload);
  }
  if (definition !== undefined) await checkRestored(context, definition);
  await serviceReady(context, tenant);
  await until(context, 'an event about the repaired drift', () => hasDriftEvent(context, tenant));
}

/** A service beyond the clusters has nothing there but its connection Secret. */
async function checkConnection({ onboarding, ...context }: ValidationContext, object: ValidatedObject): Promise<void> {
  const ref = connectionRef(object);
  hold(ref !== undefined, 'nothing of it can be deleted to see it come back');
  await onboarding.delete(ref);
  await until(context, `Secret "${ref.name}" to be restored`, async () => find(onboarding, ref));
}

async function checkRestored(context: ValidationContext, { client, ref, kind }: PlacedResource): Promise<void> {
  const { metadata } = await client.get(ref);
  await client.delete(ref, { propagationPolicy: 'Background' });
  await until(context, `${kind} "${ref.name}" to be restored`, async () => {
    const restored = await find<KubeObject>(client, ref);
    const isNew = restored !== undefined && restored.metadata.uid !== metadata.uid;
    return isNew && (kind !== 'CustomResourceDefinition' || isConditionTrue(restored, 'Established'));
  });
}

async function checkEditUndone(context: ValidationContext, { client, ref, kind }: PlacedResource): Promise<void> {
  const edit = editOf(kind, await client.get(ref));
  const edited = await client.patch(ref, { type: 'merge', body: edit }, { fieldManager: 'somebody' });
  await until(context, `the edit of ${kind} "${ref.name}" to be undone`, async () => {
    const { metadata } = await client.get(ref);
    return metadata.resourceVersion !== edited.metadata.resourceVersion && !isStill(await client.get(ref), edit);
  });
}

/** A change of a field that the provider owns in any case. */
function editOf(kind: string, object: KubeObject): JsonObject {
  if (kind === 'ConfigMap' || kind === 'Secret') {
    const [key = 'key'] = Object.keys(object['data'] ?? {});
    return { data: { [key]: Buffer.from('edited').toString('base64') } };
  }
  const { replicas = 1 } = (object['spec'] ?? {}) as { replicas?: number };
  return { spec: { replicas: replicas + 2 } };
}

const isStill = (object: KubeObject, edit: JsonObject): boolean =>
  Object.entries(edit).every(([field, value]) => includes(object[field], value));

function includes(actual: unknown, wanted: unknown): boolean {
  if (typeof wanted !== 'object' || wanted === null) return actual === wanted;
  if (typeof actual !== 'object' || actual === null) return false;
  return Object.entries(wanted).every(([field, value]) => includes((actual as Record<string, unknown>)[field], value));
}

interface EventObject extends KubeObject {
  reason?: string;
  involvedObject?: { name?: string };
}

async function hasDriftEvent(
  { onboarding }: ValidationContext,
  { name, namespace }: ValidationTenant,
): Promise<boolean> {
  const { items } = await onboarding.list<EventObject>({ group: '', version: 'v1', plural: 'events', namespace });
  return items.some(({ reason, involvedObject }) => reason === 'DriftRepaired' && involvedObject?.name === name);
}
