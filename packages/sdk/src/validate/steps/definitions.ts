import type { KubeObject } from '@chandlery/api';
import type { ObjectRef } from '@chandlery/client';
import { type Provider, providerNames } from '@chandlery/providers/kinds';
import { isConditionTrue, isSameJson } from '@chandlery/runtime';
import { find, hold, until, type ValidationContext } from '../validation-context.ts';
import { providerRef } from './install.ts';

/** 1b: the definition of the service stays as init left it, whichever client edits or deletes it. */
export async function checkDefinition(context: ValidationContext): Promise<void> {
  const { onboarding, services } = context;
  const name = `${services.plural}.${services.group}`;
  const ref = { group: 'apiextensions.k8s.io', version: 'v1', plural: 'customresourcedefinitions', name };
  const before = await onboarding.get(ref);
  const edit = { spec: { names: { shortNames: ['edited-by-validation'] } } };
  await onboarding.patch(ref, { type: 'merge', body: edit }, { fieldManager: 'somebody' });
  await until(context, 'the edit of the definition to be undone', async () =>
    isSameJson((await onboarding.get(ref))['spec'], before['spec']),
  );
  await checkRejection(context, ref);
  // Deleting a definition deletes its objects: this is only tried when there are none.
  const { items } = await onboarding.list(services, { limit: 1 });
  if (!context.isProviderForeign && items.length === 0) await checkRestored(context, ref, before);
  await until(context, 'the provider to say that its kinds are served', async () =>
    isConditionTrue(await context.platform.get<Provider>(providerRef(context)), 'APIReady'),
  );
}

async function checkRejection({ onboarding }: ValidationContext, ref: ObjectRef): Promise<void> {
  const answer = await onboarding.delete(ref).then(
    () => 'it was deleted',
    (error: Error) => error.message,
  );
  hold(answer.includes(providerNames.confirmDeletionAnnotation), `deleting the definition without a word: ${answer}`);
}

async function checkRestored(context: ValidationContext, ref: ObjectRef, before: KubeObject): Promise<void> {
  const { onboarding } = context;
  const annotations = { [providerNames.confirmDeletionAnnotation]: ref.name };
  await onboarding.patch(ref, { type: 'merge', body: { metadata: { annotations } } });
  await onboarding.delete(ref);
  await until(context, 'the deleted definition to be restored', async () => {
    const restored = await find(onboarding, ref);
    const isNew = restored !== undefined && restored.metadata.uid !== before.metadata.uid;
    return isNew && isSameJson(restored['spec'], before['spec']) && isConditionTrue(restored, 'Established');
  });
}
