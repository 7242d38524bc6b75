import type { StepContext, StepResult } from '@chandlery/runtime';
import type { Tenant } from '../../kinds/index.ts';
import { namespaceState } from '../../model/tenants/namespace-state.ts';
import { notReady } from './report-tenant.ts';
import type { TenantNeeds } from './tenant-needs.ts';

/** Deletes the tenant's namespace and waits until it is gone. One that is not the tenant's own is left alone. */
export async function deleteNamespace(tenant: Tenant, needs: TenantNeeds, { now }: StepContext): Promise<StepResult> {
  const placement = needs.place(tenant);
  if (placement.type === 'refused') return 'continue';
  const { namespace: name, labels } = placement.place;
  const namespace = await needs.findNamespace(name);
  if (namespace === undefined || namespaceState(namespace, labels) === 'foreign') return 'continue';
  await needs.deleteNamespace(namespace);
  const message = `Namespace "${name}" is being deleted; its own conditions say what is left in it.`;
  return notReady(tenant, { reason: 'WaitingForNamespaceDeletion', message }, now);
}
