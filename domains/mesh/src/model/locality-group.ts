import type { Endpoint } from './endpoint.ts';

/** Endpoints of a service in one locality, at one priority. */
export interface LocalityGroup {
  /** Empty when unknown, as are zone and sub-zone. */
  readonly region: string;
  readonly zone: string;
  readonly subZone: string;
  /** 0 is the highest priority. Without gaps among the groups of a service. */
  readonly priority: number;
  /** Share of the traffic among the groups of the same priority; a positive integer. */
  readonly weight: number;
  /** Sorted by ip and port; addresses are unique among the groups of a service. */
  readonly endpoints: readonly Endpoint[];
}
