import { isError } from '@chandlery/api';
import type { InternalCallOptions, InternalOutcome } from '@chandlery/brokers/kinds';
import { isDeleting } from '@chandlery/runtime';
import { findInstance, refOf } from './instance-objects.ts';
import type { OfferDeps } from './read-offers.ts';

/** Deletes the object of an instance. Its `deletionPolicy` decides about the service. */
export async function deprovisionInstance(
  deps: OfferDeps,
  id: string,
  { isDryRun = false }: InternalCallOptions = {},
): Promise<InternalOutcome> {
  const found = await findInstance(deps, id);
  if (found === undefined) return { state: 'done' };
  if (isDeleting(found.object)) return { state: 'in progress' };
  const { uid = '', finalizers = [] } = found.object.metadata;
  // An object with finalizers stays until they are removed.
  if (isDryRun) return { state: finalizers.length === 0 ? 'done' : 'in progress' };
  try {
    await deps.onboarding.delete(refOf(found), { preconditions: { uid } });
  } catch (error) {
    if (!isError(error, 'NotFound')) throw error;
  }
  return { state: (await findInstance(deps, id)) === undefined ? 'done' : 'in progress' };
}
