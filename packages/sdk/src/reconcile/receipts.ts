import { type KubeObject } from '@chandlery/api';
import type { ObjectRef } from '@chandlery/client';
import { apply, ignoreNotFound } from '@chandlery/runtime';
import { fieldManagerOf, receiptName, sdkNames } from '../model/names.ts';
import { receiptFor } from '../model/receipt.ts';
import type { ReconcileScope } from './reconcile-scope.ts';

/** Writes the receipt of what stays. Idempotent: a repeated call after a crash keeps earlier entries. */
export async function writeReceipt(
  scope: ReconcileScope,
  notes: readonly string[],
  retained?: KubeObject,
): Promise<void> {
  const { object, deps, step } = scope;
  const { provider, onboarding } = deps;
  const previous = await findReceipt(scope);
  const receipt = receiptFor({ object, provider, notes, previous, now: step.now, ...(retained && { retained }) });
  const desired = [{ plural: 'configmaps', object: receipt }];
  await apply(onboarding, fieldManagerOf(provider), desired, { signal: step.signal });
}

/** The receipt of an earlier object with the same identity. */
export async function findReceipt(scope: ReconcileScope): Promise<KubeObject | undefined> {
  const found = await scope.deps.onboarding.get(receiptRef(scope), { signal: scope.step.signal }).catch(ignoreNotFound);
  // A ConfigMap of the tenant with this name is not a receipt.
  return found?.metadata.labels?.[sdkNames.managedByLabel] === undefined ? undefined : found;
}

export async function deleteReceipt(scope: ReconcileScope): Promise<void> {
  await scope.deps.onboarding.delete(receiptRef(scope), { signal: scope.step.signal }).catch(ignoreNotFound);
}

const receiptRef = ({ object }: ReconcileScope): ObjectRef => ({
  group: '',
  version: 'v1',
  plural: 'configmaps',
  namespace: object.metadata.namespace ?? '',
  name: receiptName(object.kind, object.metadata.name ?? ''),
});
