import { isError } from '@chandlery/api';
import type { Client, ResourceRef } from '@chandlery/client';
import { providerNames, retainedBy, retainedNames, retainedServices } from '../../kinds/index.ts';

/** Whether services of a provider continue to run without it. Reads the onboarding cluster, not a cache. */
export async function hasRetainedServices(onboarding: Client, provider: string): Promise<boolean> {
  try {
    const { items } = await onboarding.list(retainedServices.ref, { labelSelector: retainedBy(provider), limit: 1 });
    return items.length > 0;
  } catch (error) {
    if (isError(error, 'NotFound')) return false;
    throw error;
  }
}

/** Hands the requests that retained services need over to them. */
export async function handOverRequests(
  platform: Client,
  { ref, labelSelector }: { readonly ref: ResourceRef; readonly labelSelector: string },
): Promise<void> {
  const labels = { [providerNames.managedByLabel]: null, [retainedNames.handedOverLabel]: 'true' };
  for await (const { metadata } of platform.listAll(ref, { labelSelector })) {
    if (metadata.annotations?.[retainedNames.retainedByAnnotation] === undefined) continue;
    const { name = '', namespace, uid } = metadata;
    const at = { ...ref, name, ...(namespace === undefined ? {} : { namespace }) };
    await platform.patch(at, { type: 'merge', body: { metadata: { uid, labels } } });
  }
}
