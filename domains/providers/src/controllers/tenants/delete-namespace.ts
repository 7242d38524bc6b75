import type { StepContext, StepResult } from '@chandlery/runtime';
import type { Tenant } from '../../kinds/index.ts';
import { namespaceState } from '../../model/tenants/namespace-state.ts';
import { notReady } from './report-tenant.ts';
import type { TenantDeps } from './tenant-deps.ts';

/** Deletes the tenant's namespace and waits until it is removed. A namespace of another owner is left alone. */
export async function deleteNamespace(tenant: Tenant, deps: TenantDeps, { now }: StepContext): Promise<StepResult> {
  const placement = deps.place(tenant);
  if (placement.type === 'refused') return 'continue';
  const { namespace: name, labels } = placement.place;
  const namespace = await deps.findNamespace(name);
  if (namespace === undefined || namespaceState(namespace, labels) === 'foreign') return 'continue';
  await deps.deleteNamespace(namespace);
  const message = `Namespace "${name}" is being deleted; its own conditions say what is left in it.`;
  return notReady(tenant, { reason: 'WaitingForNamespaceDeletion', message }, now);
}
