import { type StepContext, type StepResult, setCondition } from '@chandlery/runtime';
import type { AccessRequest } from '../../kinds/index.ts';
import { selectorFor } from '../../model/access/access-names.ts';
import { inOrderOfRemoval } from '../../model/access/plan-rights.ts';
import { isVanishing } from '../../model/access/standing.ts';
import type { AccessNeeds } from './access-needs.ts';
import { deleteOwned } from './change-rights.ts';
import { isOf } from './ensure-secret.ts';
import { listOwned } from './list-owned.ts';

/** How often to look whether somebody's finalizer has let go; the watch is usually quicker. */
const lookAgainMs = 10_000;

/** Takes the service account, roles and bindings from the cluster. With the cluster they are gone anyway. */
export async function removeRights(
  request: AccessRequest,
  needs: AccessNeeds,
  { now, signal }: StepContext,
): Promise<StepResult> {
  const cluster = needs.cluster(request);
  if (cluster === undefined || isVanishing(cluster)) return 'continue';
  const client = await needs.connect(request);
  const { name = '', namespace = '' } = request.metadata;
  const selector = selectorFor(needs.granter, { name, namespace });
  const found = await listOwned(client, selector, signal);
  for (const object of inOrderOfRemoval(found)) await deleteOwned(client, object, signal);
  const left = found.length === 0 ? [] : await listOwned(client, selector, signal);
  if (left.length === 0) return 'continue';
  const what = left.map(({ object }) => `${object.kind} "${object.metadata.name ?? ''}"`).sort();
  const message = `On the cluster finalizers still hold ${what.join(', ')}.`;
  setCondition(request, { type: 'Ready', status: 'False', reason: 'RemovingAccess', message }, now);
  return { retryAfterMs: lookAgainMs };
}

/** Takes away the Secret, unless it is somebody else's. */
export async function removeSecret(
  request: AccessRequest,
  needs: AccessNeeds,
  { signal }: StepContext,
): Promise<StepResult> {
  const secret = await needs.secrets.read(request, signal);
  if (secret !== undefined && isOf(request, secret)) await needs.secrets.delete(secret, signal);
  return 'continue';
}
