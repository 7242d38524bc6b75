import type { KubeObject } from '@chandlery/api';
import type { ObjectRef } from '@chandlery/client';
import { type Provider, providerNames } from '@chandlery/providers/kinds';
import { isConditionTrue, isSameJson } from '@chandlery/runtime';
import { find, hold, until, type ValidationWorld } from '../world.ts';
import { providerRef } from './install.ts';

/** 1b: the definition of the service stays as init left it, whoever edits or deletes it. */
export async function checkDefinition(world: ValidationWorld): Promise<void> {
  const { onboarding, services } = world;
  const name = `${services.plural}.${services.group}`;
  const ref = { group: 'apiextensions.k8s.io', version: 'v1', plural: 'customresourcedefinitions', name };
  const before = await onboarding.get(ref);
  const edit = { spec: { names: { shortNames: ['edited-by-validation'] } } };
  await onboarding.patch(ref, { type: 'merge', body: edit }, { fieldManager: 'somebody' });
  await until(world, 'the edit of the definition to be undone', async () =>
    isSameJson((await onboarding.get(ref))['spec'], before['spec']),
  );
  await checkRefusal(world, ref);
  // Its objects go with a definition: only where there are none, and nobody else's, is it tried.
  const { items } = await onboarding.list(services, { limit: 1 });
  if (!world.isProviderForeign && items.length === 0) await checkRestored(world, ref, before);
  await until(world, 'the provider to say that its kinds are served', async () =>
    isConditionTrue(await world.platform.get<Provider>(providerRef(world)), 'APIReady'),
  );
}

async function checkRefusal({ onboarding }: ValidationWorld, ref: ObjectRef): Promise<void> {
  const answer = await onboarding.delete(ref).then(
    () => 'it was deleted',
    (error: Error) => error.message,
  );
  hold(answer.includes(providerNames.confirmDeletionAnnotation), `deleting the definition without a word: ${answer}`);
}

async function checkRestored(world: ValidationWorld, ref: ObjectRef, before: KubeObject): Promise<void> {
  const { onboarding } = world;
  const annotations = { [providerNames.confirmDeletionAnnotation]: ref.name };
  await onboarding.patch(ref, { type: 'merge', body: { metadata: { annotations } } });
  await onboarding.delete(ref);
  await until(world, 'the deleted definition to be restored', async () => {
    const restored = await find(onboarding, ref);
    const isNew = restored !== undefined && restored.metadata.uid !== before.metadata.uid;
    return isNew && isSameJson(restored['spec'], before['spec']) && isConditionTrue(restored, 'Established');
  });
}
