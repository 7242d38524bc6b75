import type { QuotaLine } from '../model/quota-lines.ts';
import type { ClusterRow } from '../registry/fleet-registry.ts';
import type { ActionDeps } from './action-deps.ts';
import { type DrainRequest, drainCluster } from './drain-cluster.ts';
import { explainPlacement, type PlacementExplanation } from './explain-placement.ts';
import { type RegionReport, reportCapacity } from './report-capacity.ts';
import { reportQuota } from './report-quota.ts';

/** Use cases for operators of the landscape, over all products. All reject with `FleetError`. */
export interface OperatorActions {
  explainPlacement(instanceId: string): PlacementExplanation;
  reportQuota(request: {
    readonly product: string;
    readonly organisation: string | undefined;
  }): Promise<readonly QuotaLine[]>;
  reportCapacity(product: string): readonly RegionReport[];
  drainCluster(request: DrainRequest): Promise<ClusterRow>;
}

/** Joins the use cases for operators. */
export const createOperatorActions = (deps: ActionDeps): OperatorActions => ({
  explainPlacement: id => explainPlacement(deps, id),
  reportQuota: request => reportQuota(deps, request),
  reportCapacity: product => reportCapacity(deps, product),
  drainCluster: request => drainCluster(deps, request),
});
