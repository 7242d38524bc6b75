import type { JsonObject } from '@chandlery/api';
import type { ManagedBroker, ManagedPlan, ManagedVisibility } from '../ports.ts';

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** A broker as it is listed. */
export const brokerOf = (row: JsonObject): ManagedBroker => ({
  id: text(row['id']),
  name: text(row['name']),
  url: text(row['broker_url']),
});

/** The part of an offering that leads from plans to brokers. */
export const offeringOf = (row: JsonObject): { readonly id: string; readonly brokerId: string } => ({
  id: text(row['id']),
  brokerId: text(row['broker_id']),
});

/** A plan as it is listed. */
export const planOf = (row: JsonObject, brokerId: string): ManagedPlan => ({
  id: text(row['id']),
  catalogId: text(row['catalog_id']),
  brokerId,
});

/** A visibility as it is listed. */
export const visibilityOf = (row: JsonObject): ManagedVisibility => ({
  planId: text(row['service_plan_id']),
  platformId: text(row['platform_id']),
  labels: (row['labels'] ?? {}) as Record<string, string[]>,
});
