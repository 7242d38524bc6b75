import type { Lease } from './lease-record.ts';

/** Distinguishes holders of a lease: a later holder has a greater value. */
export interface FencingToken {
  /** `namespace/name` of the lease. */
  readonly lease: string;
  /** Rises from holder to holder, also over the deletion of the lease. Compared only within one lease. */
  readonly value: number;
  /** As the lease counts it; restarts when the lease is deleted. */
  readonly leaseTransitions: number;
  /** Of the write that took the lease. */
  readonly resourceVersion: string;
}

/**
 * The token of the process that just took the lease. Its value is the version of that write, which only rises in one cluster; a
 * server whose versions are no numbers gives the number of transitions instead.
 */
export function fencingToken({ metadata, spec }: Lease): FencingToken {
  const { namespace = '', name = '', resourceVersion = '' } = metadata;
  const leaseTransitions = spec?.leaseTransitions ?? 0;
  const value = /^\d+$/.test(resourceVersion) ? Number(resourceVersion) : leaseTransitions;
  return { lease: `${namespace}/${name}`, value, leaseTransitions, resourceVersion };
}
