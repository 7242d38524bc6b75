import type { InstanceRow } from '../../../registry/fleet-registry.ts';
import { fieldsOf } from '../body-fields.ts';
import { type FleetResponse, ok, type ProductCall, withoutEmpty } from '../call.ts';
import { checkAsync } from '../check-async.ts';
import type { HandlerDeps } from '../facade-deps.ts';
import { findInstance } from '../instances/find-instance.ts';
import { presentCommon } from '../instances/present-instance.ts';
import {
  type InstancePage,
  isPlainList,
  type ListQuery,
  listInstances,
  readListQuery,
} from '../lists/list-instances.ts';
import type { NameOrder } from '../lists/name-order.ts';
import { listEnvelope, offsetOf, pageOf, readPaging } from '../lists/paging.ts';

type Deps = Pick<HandlerDeps, 'tables' | 'actions'> & { readonly nameOrder: NameOrder };

/** Handlers for operators of a product: the instances of all organisations, and the clusters. */
export const adminHandlers = ({ tables, actions, nameOrder }: Deps) => ({
  list: async (call: ProductCall): Promise<FleetResponse> => {
    const query = readListQuery(call.query);
    const product = call.product.row.id;
    const { page, total, rows } = isPlainList(query)
      ? pageByName(nameOrder, product, query)
      : await listInstances(tables.instances.by('product', product), query);
    const items = rows.map(row => presentAdminInstance(row, call));
    return ok(listEnvelope(`${call.names.kind}List`, { page, total, items }));
  },

  get: async (call: ProductCall): Promise<FleetResponse> => {
    return ok(presentAdminInstance(findInstance(call, tables), call));
  },

  patch: async (call: ProductCall): Promise<FleetResponse> => {
    const { singular } = call.names;
    const fields = fieldsOf(await call.readBody());
    const patch = {
      productVersion: fields.text(`${singular}_version`),
      operatorVersion: fields.text(`${singular}_operator_version`),
      suspended: fields.flag('suspended'),
    };
    const { id } = findInstance(call, tables);
    return ok(presentAdminInstance(await actions.adminPatch(call.product, id, patch), call));
  },

  remove: async (call: ProductCall): Promise<FleetResponse> => {
    checkAsync(call);
    const { id } = findInstance(call, tables);
    await actions.adminDelete(call.product, id);
    return { status: 202 };
  },

  listClusters: async (call: ProductCall): Promise<FleetResponse> => {
    const rows = [...tables.clusters.by('product', call.product.row.id)];
    const sorted = rows.sort((one, other) => (one.spec.clusterId < other.spec.clusterId ? -1 : 1));
    const items = sorted.map(({ spec, status }) => ({
      kind: 'Cluster',
      cluster_id: spec.clusterId,
      cloud_provider: spec.cloudProvider,
      region: spec.region,
      multi_az: spec.multiAz ?? false,
      status: status.state ?? spec.initialState ?? 'cluster_accepted',
      supported_instance_type: (
        spec.supportedInstanceTypes ?? [...call.product.configuration.instanceTypes.keys()]
      ).join(','),
      last_seen_at: status.lastSeenAt ?? null,
      ...withoutEmpty({ failed_reason: status.failedReason }),
    }));
    return ok(pageOf('ClusterList', items, readPaging(call.query)));
  },
});

function pageByName(nameOrder: NameOrder, product: string, { paging }: ListQuery): InstancePage {
  const rows = nameOrder.of(product);
  return { page: paging.page, total: rows.size, rows: rows.slice(offsetOf(paging), paging.size) };
}

/** An instance as operators of the product see it. */
function presentAdminInstance(row: InstanceRow, { names }: Pick<ProductCall, 'names'>): object {
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
