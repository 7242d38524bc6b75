import type { Endpoint } from './endpoint.ts';

/** Endpoints of a service that are equally near to a client. */
export interface LocalityGroup {
  /** Empty when unknown, as are zone and sub-zone. */
  readonly region: string;
  readonly zone: string;
  readonly subZone: string;
  /** 0 is asked first. Without gaps among the groups of a service. */
  readonly priority: number;
  /** Its share of the traffic among the groups of the same priority; a positive integer. */
  readonly weight: number;
  /** Sorted by ip and port; no address and port twice among the groups of a service. */
  readonly endpoints: readonly Endpoint[];
}
