import { instanceName, instanceState } from '../../../model/search/instance-columns.ts';
import type { InstanceRow } from '../../../registry/fleet-registry.ts';
import { type ProductCall, withoutEmpty } from '../call.ts';

/** An instance as its organisation sees it. */
export function presentInstance(row: InstanceRow, { names, product }: Pick<ProductCall, 'names' | 'product'>): object {
  const { status } = row;
  const type = product.configuration.instanceTypes.get(status.instanceType ?? '');
  return {
    ...presentCommon(row, `${names.base}/${names.collection}/${row.id}`, names.kind),
    ...withoutEmpty({
      version: status.actual?.product,
      instance_type_name: type?.displayName,
    }),
    expires_at: status.expiresAt ?? null,
  };
}

/** What users and operators both see of an instance. */
export function presentCommon(row: InstanceRow, href: string, kind: string): object {
  const { id, spec, status, createdAt, updatedAt } = row;
  return {
    id,
    kind,
    href,
    ...withoutEmpty({
      status: instanceState(row),
      cloud_provider: spec.cloudProvider,
      region: spec.region,
      owner: spec.owner,
      name: instanceName(row),
      host: status.host,
      admin_api_server_url: status.adminUrl,
      created_at: createdAt,
      updated_at: updatedAt,
      failed_reason: status.failedReason,
      instance_type: status.instanceType,
      size_id: status.sizeId,
    }),
    multi_az: spec.multiAz ?? false,
  };
}
