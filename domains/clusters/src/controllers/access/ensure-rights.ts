import { isError } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import { type StepContext, type StepResult, setCondition } from '@chandlery/runtime';
import type { AccessRequest } from '../../kinds/index.ts';
import { selectorFor } from '../../model/access/access-names.ts';
import { planRights } from '../../model/access/plan-rights.ts';
import { type WantedNamespace, wantedRights } from '../../model/access/wanted-rights.ts';
import type { AccessDeps } from './access-deps.ts';
import { changeRights } from './change-rights.ts';
import { listOwned } from './list-owned.ts';

const namespacesRef = { group: '', version: 'v1', plural: 'namespaces' };

/**
 * Applies the service account, roles and bindings of the request on the cluster, and deletes those no longer requested.
 */
export async function ensureRights(
  request: AccessRequest,
  deps: AccessDeps,
  { now, signal }: StepContext,
): Promise<StepResult> {
  const wanted = wantedRights(request, deps.granter);
  if (wanted.type === 'refused') {
    const { reason, message } = wanted;
    setCondition(request, { type: 'Ready', status: 'False', reason, message }, now);
    request.status = { ...request.status, phase: 'Denied' };
    return 'stop';
  }
  const client = await deps.connect(request);
  const missing = await ensureNamespaces(client, wanted.namespaces, signal);
  if (missing.length > 0) {
    setCondition(request, { type: 'Ready', status: 'False', ...namespacesMissing(missing) }, now);
    return 'stop';
  }
  const { name = '', namespace = '' } = request.metadata;
  const found = await listOwned(client, selectorFor(deps.granter, { name, namespace }), signal);
  await changeRights(client, planRights(wanted.objects, found), signal);
  return 'continue';
}

/** Creates the namespaces that may be created; returns the others that do not exist. */
async function ensureNamespaces(
  client: Client,
  namespaces: readonly WantedNamespace[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  const missing: string[] = [];
  for (const { name, isMade } of namespaces) {
    if (await hasNamespace(client, name, signal)) continue;
    if (isMade) await createNamespace(client, name, signal);
    else missing.push(name);
  }
  return missing;
}

async function hasNamespace(client: Client, name: string, signal: AbortSignal): Promise<boolean> {
  try {
    await client.get({ ...namespacesRef, name }, { signal });
    return true;
  } catch (error) {
    if (isError(error, 'NotFound')) return false;
    throw error;
  }
}

/** The namespace stays when the request is deleted, because it may have other content. */
async function createNamespace(client: Client, name: string, signal: AbortSignal): Promise<void> {
  try {
    await client.create(namespacesRef, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } }, { signal });
  } catch (error) {
    if (!isError(error, 'AlreadyExists')) throw error;
  }
}

const namespacesMissing = (names: readonly string[]) => ({
  reason: 'NamespaceMissing',
  message: `The cluster lacks what the request needs but does not create: namespace ${names.map(name => `"${name}"`).join(', ')}.`,
});
