import { isError, type JsonObject } from '@chandlery/api';
import { globalTenant } from '../../kinds/index.ts';
import { newOperation } from '../../model/operations/new-operation.ts';
import type { OperationChange } from '../../model/operations/operation-end.ts';
import { kubernetesOrigin } from '../../model/operations/operation-state.ts';
import type { OperationRow, Registry, RegistryWrite } from '../../model/rows.ts';

/** Which operation an object of the Kubernetes API asks for. */
interface KubernetesOrder {
  readonly type: OperationRow['spec']['type'];
  readonly resourceType: string;
  readonly resourceId: string;
  readonly tenant: string;
  /** Default: nothing. */
  readonly change?: OperationChange;
  /** Default: none. */
  readonly parameters?: JsonObject | undefined;
  /** Who wrote the object. Default: unknown, as when the landscape itself deletes. */
  readonly userInfo?: { readonly username: string } | undefined;
}

/** The operation for the engine, with its parameters in a Secret that lives as long as it does. */
export function orderFromKubernetes(registry: Registry, order: KubernetesOrder): RegistryWrite[] {
  const { parameters, change, userInfo, ...what } = order;
  const id = registry.newId();
  const name = `operation-${id}-parameters`;
  const whole = { ...change, ...(parameters === undefined ? {} : { parametersSecret: name }) } as Record<
    string,
    unknown
  >;
  const { write } = newOperation({
    ...what,
    registry,
    id,
    state: 'in progress',
    labels: kubernetesOrigin,
    ...(userInfo === undefined ? {} : { status: { user: userInfo } }),
    ...(Object.keys(whole).length === 0 ? {} : { change: whole }),
  });
  if (parameters === undefined) return [write];
  return [write, { type: 'put-secret', tenant: order.tenant, name, data: { parameters: JSON.stringify(parameters) } }];
}

/** Commits the operation of a deletion. In a namespace that is being deleted nothing can be made: then the landscape has it. */
export async function orderDeletion(registry: Registry, order: KubernetesOrder): Promise<void> {
  try {
    await registry.commit(orderFromKubernetes(registry, order));
  } catch (error) {
    if (!isError(error, 'Forbidden')) throw error;
    await registry.commit(orderFromKubernetes(registry, { ...order, tenant: globalTenant }));
  }
}
