import { ownPlatformId } from '../../kinds/index.ts';
import { withoutUndefined } from '../json.ts';
import { createRow, type OperationRow, type Registry, type RegistryWrite } from '../rows.ts';

type OperationSpec = OperationRow['spec'];
type OperationStatus = OperationRow['status'];

/** What an operation is about. Fields of its spec that are not named here may be given as they are called there. */
export interface NewOperationOptions extends Omit<Partial<OperationSpec>, 'type' | 'resourceType' | 'resourceId'> {
  readonly registry: Pick<Registry, 'newId'>;
  readonly type: OperationSpec['type'];
  /** As a path: `/v1/service_instances`. */
  readonly resourceType: string;
  readonly resourceId: string;
  readonly tenant: string;
  readonly state: NonNullable<OperationStatus['state']>;
  /** Who asked. Default: the service manager itself. */
  readonly platformId?: string;
  /** Default: a new one. */
  readonly id?: string;
  /** What else its status says from the start. Default nothing. */
  readonly status?: OperationStatus;
}

/** An operation, to be committed beside what it is about. */
export function newOperation(options: NewOperationOptions): { readonly id: string; readonly write: RegistryWrite } {
  const { registry, tenant, state, status, id = registry.newId(), ...given } = options;
  const { isForced, labels, platformId = ownPlatformId } = given;
  const spec = {
    ...withoutUndefined(given),
    platformId,
    ...(isForced === true ? { labels: { ...labels, force: ['true'] } } : {}),
  } as OperationSpec;
  return { id, write: createRow({ table: 'operations', id, tenant, spec, status: { ready: true, ...status, state } }) };
}
