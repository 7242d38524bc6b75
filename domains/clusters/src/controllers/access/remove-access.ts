import { type StepContext, type StepResult, setCondition } from '@chandlery/runtime';
import type { AccessRequest } from '../../kinds/index.ts';
import { selectorFor } from '../../model/access/access-names.ts';
import { inOrderOfRemoval } from '../../model/access/plan-rights.ts';
import { isVanishing } from '../../model/access/standing.ts';
import type { AccessDeps } from './access-deps.ts';
import { deleteOwned } from './change-rights.ts';
import { isOf } from './ensure-secret.ts';
import { listOwned } from './list-owned.ts';

/** How often to check for finalizers of other controllers; the watch is usually faster. */
const recheckMs = 10_000;

/** Deletes the service account, roles and bindings from the cluster, unless the cluster is deleted. */
export async function removeRights(
  request: AccessRequest,
  deps: AccessDeps,
  { now, signal }: StepContext,
): Promise<StepResult> {
  const cluster = deps.cluster(request);
  if (cluster === undefined || isVanishing(cluster)) return 'continue';
  const client = await deps.connect(request);
  const { name = '', namespace = '' } = request.metadata;
  const selector = selectorFor(deps.granter, { name, namespace });
  const found = await listOwned(client, selector, signal);
  for (const object of inOrderOfRemoval(found)) await deleteOwned(client, object, signal);
  const left = found.length === 0 ? [] : await listOwned(client, selector, signal);
  if (left.length === 0) return 'continue';
  const what = left.map(({ object }) => `${object.kind} "${object.metadata.name ?? ''}"`).sort();
  const message = `On the cluster finalizers still hold ${what.join(', ')}.`;
  setCondition(request, { type: 'Ready', status: 'False', reason: 'RemovingAccess', message }, now);
  return { retryAfterMs: recheckMs };
}

/** Deletes the Secret, unless it belongs to another owner. */
export async function removeSecret(
  request: AccessRequest,
  deps: AccessDeps,
  { signal }: StepContext,
): Promise<StepResult> {
  const secret = await deps.secrets.read(request, signal);
  if (secret !== undefined && isOf(request, secret)) await deps.secrets.delete(secret, signal);
  return 'continue';
}
