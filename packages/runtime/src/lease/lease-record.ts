import { formatMicroTime, type KubeObject } from '@chandlery/api';
import type { ObjectRef } from '@chandlery/client';

/** Who holds a lease, and how long. */
export interface LeaseSpec {
  holderIdentity?: string;
  leaseDurationSeconds?: number;
  acquireTime?: string;
  renewTime?: string;
  leaseTransitions?: number;
}

/** A Lease of coordination.k8s.io/v1. */
export interface Lease extends KubeObject {
  spec?: LeaseSpec;
}

/** Who wants to hold a lease. */
export interface Claimant {
  readonly identity: string;
  readonly leaseDurationMs: number;
}

/** A lease as it was when this process last saw it change. Only the process' own clock counts, so clocks need not agree. */
export interface ObservedLease {
  readonly lease: Lease;
  readonly atMs: number;
}

export const leaseRef = (namespace: string, name: string): ObjectRef => ({
  group: 'coordination.k8s.io',
  version: 'v1',
  plural: 'leases',
  namespace,
  name,
});

export const newLease = (namespace: string, name: string, spec: LeaseSpec): Lease => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name, namespace },
  spec,
});

/** Whether a process other than `identity` must be assumed to hold the lease. */
export function isHeldByOther({ lease, atMs }: ObservedLease, identity: string, nowMs: number): boolean {
  const { holderIdentity = '', leaseDurationSeconds = 0 } = lease.spec ?? {};
  if (holderIdentity === '' || holderIdentity === identity) return false;
  return nowMs < atMs + leaseDurationSeconds * 1000;
}

/** What the claimant writes to take or to keep the lease. */
export function claimedSpec(lease: Lease | undefined, { identity, leaseDurationMs }: Claimant, now: Date): LeaseSpec {
  const old = lease?.spec ?? {};
  const isMine = old.holderIdentity === identity;
  const time = formatMicroTime(now);
  return {
    ...old,
    holderIdentity: identity,
    leaseDurationSeconds: Math.ceil(leaseDurationMs / 1000),
    acquireTime: isMine && old.acquireTime ? old.acquireTime : time,
    renewTime: time,
    leaseTransitions: transitions(lease, isMine),
  };
}

function transitions(lease: Lease | undefined, isMine: boolean): number {
  if (lease === undefined) return 0;
  const { leaseTransitions = 0 } = lease.spec ?? {};
  return isMine ? leaseTransitions : leaseTransitions + 1;
}

/** The spec that releases a lease: it has no holder, and others need not wait. */
export function releasedSpec({ spec = {} }: Lease, now: Date): LeaseSpec {
  const time = formatMicroTime(now);
  return { ...spec, holderIdentity: '', leaseDurationSeconds: 1, acquireTime: time, renewTime: time };
}
