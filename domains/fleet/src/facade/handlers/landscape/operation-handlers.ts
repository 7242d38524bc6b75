import type { RegionReport } from '../../../actions/report-capacity.ts';
import { bodyError, fieldsOf } from '../body-fields.ts';
import { type FleetResponse, type OperatorCall, ok, withoutEmpty } from '../call.ts';
import type { HandlerDeps } from '../facade-deps.ts';
import { listEnvelope } from '../lists/paging.ts';
import { presentQuota } from '../present-quota.ts';

const defaultProduct = 'dinosaurs';

/** Handlers for operators of the landscape who look after instances, clusters and quota of all products. */
export const operationHandlers = ({ operatorActions }: Pick<HandlerDeps, 'operatorActions'>) => ({
  explainPlacement: async ({ params }: OperatorCall): Promise<FleetResponse> => {
    const { row, clusters } = operatorActions.explainPlacement(params['id'] ?? '');
    return ok({
      id: row.id,
      kind: 'Placement',
      product: row.spec.product,
      ...withoutEmpty({ cluster_id: row.status.clusterId }),
      clusters: clusters.map(({ clusterId, ...verdict }) => ({ cluster_id: clusterId, ...verdict })),
    });
  },

  listQuota: async ({ query }: OperatorCall): Promise<FleetResponse> => {
    const product = query.get('product') ?? defaultProduct;
    const lines = await operatorActions.reportQuota({ product, organisation: query.get('organisation') ?? undefined });
    const items = lines.map(line => presentQuota(product, line));
    return ok(listEnvelope('QuotaList', { page: 1, total: items.length, items }));
  },

  listCapacity: async ({ query }: OperatorCall): Promise<FleetResponse> => {
    const product = query.get('product') ?? defaultProduct;
    const items = operatorActions.reportCapacity(product).map(region => presentRegion(product, region));
    return ok(listEnvelope('RegionCapacityList', { page: 1, total: items.length, items }));
  },

  drainCluster: async (call: OperatorCall): Promise<FleetResponse> => {
    const fields = fieldsOf(await call.readBody());
    const draining = fields.flag('draining');
    const lost = fields.flag('lost') ?? false;
    if (draining === undefined) throw bodyError('draining is missing');
    if (lost && !draining) throw bodyError('a cluster that is lost must be draining');
    const product = call.query.get('product') ?? defaultProduct;
    const { spec, status } = await operatorActions.drainCluster({
      product,
      clusterId: call.params['id'] ?? '',
      draining,
      lost,
    });
    const flags = { draining: status.draining ?? false, lost: status.lost ?? false };
    return ok({ kind: 'ClusterDrain', product, cluster_id: spec.clusterId, ...flags });
  },
});

const presentRegion = (product: string, { cloudProvider, region, displayName, ...rest }: RegionReport): object => ({
  kind: 'RegionCapacity',
  product,
  cloud_provider: cloudProvider,
  region,
  display_name: displayName,
  instance_types: rest.instanceTypes.map(({ id, used, limit }) => ({ id, used, limit: limit ?? null })),
  clusters: rest.clusters.map(presentCluster),
});

const presentCluster = ({ row: { spec, status }, used, limit }: RegionReport['clusters'][number]): object => ({
  cluster_id: spec.clusterId,
  status: status.state ?? spec.initialState ?? 'cluster_accepted',
  used,
  limit: limit ?? null,
  takes_new: spec.schedulable && status.draining !== true,
  draining: status.draining ?? false,
  lost: status.lost ?? false,
  agent_silent: status.isAgentSilent ?? false,
  last_seen_at: status.lastSeenAt ?? null,
  ...withoutEmpty({ failed_reason: status.failedReason, agent_message: status.agentMessage }),
});
