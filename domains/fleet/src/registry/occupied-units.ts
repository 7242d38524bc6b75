import { trialType } from '../model/quota.ts';
import { clusterScope, clusterTypeScope, regionScope, trialScope } from '../model/scopes.ts';
import type { InstanceRow } from './fleet-tables.ts';

/** Scopes in which an instance occupies units, limited or not, and how many. One that was not admitted occupies none. */
export function occupiedUnits({ spec, status }: InstanceRow): readonly (readonly [scope: string, units: number])[] {
  const { instanceType, clusterId, units = 0, quotaScope, quotaUnits = 0 } = status;
  if (status.state === undefined || instanceType === undefined) return [];
  const { product, cloudProvider = '', region = '' } = spec;
  const occupied: [string, number][] = [[regionScope(product, { cloudProvider, region, instanceType }), units]];
  if (quotaScope !== undefined) occupied.push([quotaScope, quotaUnits]);
  if (instanceType === trialType) occupied.push([trialScope(product, spec.organisation, spec.owner), 1]);
  if (clusterId !== undefined)
    occupied.push(
      [clusterScope(product, clusterId), units],
      [clusterTypeScope(product, clusterId, instanceType), units],
    );
  return occupied;
}
