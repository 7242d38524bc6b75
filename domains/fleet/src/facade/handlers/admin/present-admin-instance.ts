import type { InstanceRow } from '../../../registry/fleet-registry.ts';
import { type ProductCall, withoutEmpty } from '../call.ts';
import { presentCommon } from '../instances/present-instance.ts';

/** An instance as operators of the product see it. */
export function presentAdminInstance(row: InstanceRow, { names }: Pick<ProductCall, 'names'>): object {
  const { spec, status } = row;
  const { singular } = names;
  const { actual, desired, upgrading } = status;
  return {
    ...presentCommon(row, `${names.base}/admin/${names.collection}/${row.id}`, names.kind),
    ...withoutEmpty({
      [`actual_${singular}_version`]: actual?.product,
      [`actual_${singular}_operator_version`]: actual?.operator,
      [`desired_${singular}_version`]: desired?.product,
      [`desired_${singular}_operator_version`]: desired?.operator,
      organisation_id: spec.organisation,
      subscription_id: status.subscriptionId,
      owner_account_id: spec.ownerAccountId,
      quota_type: status.quotaType,
      cluster_id: status.clusterId,
      namespace: status.namespace,
    }),
    [`${singular}_upgrading`]: upgrading?.product ?? false,
    [`${singular}_operator_upgrading`]: upgrading?.operator ?? false,
    expires_at: status.expiresAt ?? null,
    routes: status.routes ?? [],
    routes_created: status.routesCreated ?? false,
  };
}
