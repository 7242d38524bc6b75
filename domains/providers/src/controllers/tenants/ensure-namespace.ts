import type { StepContext, StepResult } from '@chandlery/runtime';
import type { Tenant } from '../../kinds/index.ts';
import { namespaceState } from '../../model/tenants/namespace-state.ts';
import { namespaceOf } from '../../model/tenants/tenant-objects.ts';
import type { TenantPlace } from '../../model/tenants/tenant-place.ts';
import { notReady } from './report-tenant.ts';
import type { TenantDeps } from './tenant-deps.ts';

/** Creates the tenant's namespace, unless its name belongs to another owner. */
export async function ensureNamespace(tenant: Tenant, deps: TenantDeps, { now }: StepContext): Promise<StepResult> {
  const placement = deps.place(tenant);
  if (placement.type === 'refused') return notReady(tenant, placement, now);
  const { place } = placement;
  const { namespace } = place;
  switch (namespaceState(await deps.findNamespace(namespace), place.labels)) {
    case 'absent':
      await deps.createNamespace(namespaceOf(place));
      return settle(tenant, place);
    case 'ours':
      await deps.apply({ plural: 'namespaces', object: namespaceOf(place) });
      return settle(tenant, place);
    case 'terminating':
      return notReady(tenant, terminating(namespace), now);
    case 'foreign':
      return notReady(tenant, foreign(namespace), now);
  }
}

function settle(tenant: Tenant, { namespace }: TenantPlace): StepResult {
  tenant.status = { ...tenant.status, namespace };
  return 'continue';
}

const terminating = (namespace: string) => ({
  reason: 'NamespaceTerminating',
  message: `Namespace "${namespace}" is being deleted; it is created again after that.`,
});

const foreign = (namespace: string) => ({
  reason: 'NamespaceConflict',
  message: `Namespace "${namespace}" exists and belongs to another owner, as its labels say; delete it or choose another name.`,
});
