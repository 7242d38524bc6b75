import type { KubeObject } from '@chandlery/api';
import type { StatedCondition } from '@chandlery/runtime';

interface Lease extends KubeObject {
  spec?: {
    readonly holderIdentity?: string;
    readonly leaseDurationSeconds?: number;
    readonly renewTime?: string;
  };
}

/**
 * The state of a run part outside of the landscape, from the lease that it renews. Programs that were not written with
 * the SDK may have none: they are not watched.
 */
export function readLiveness(lease: Lease | undefined, now: Date): StatedCondition {
  const type = 'RunReady';
  if (lease === undefined) {
    const message = 'The landscape runs no pods; the provider runs elsewhere and does not report whether it does.';
    return { type, status: 'True', reason: 'RunsElsewhere', message };
  }
  if (livenessExpiresInMs(lease, now) === undefined) {
    const message =
      'No process of the provider reports that it runs; start its "run" elsewhere, as docs/providers-outside.md describes.';
    return { type, status: 'False', reason: 'NotRunning', message };
  }
  const message = `It runs outside of the landscape, on ${lease.spec?.holderIdentity}.`;
  return { type, status: 'True', reason: 'RunsElsewhere', message };
}

/** How long the last report of a process counts; undefined when it does not, or there is none. */
export function livenessExpiresInMs(lease: Lease | undefined, now: Date): number | undefined {
  const { holderIdentity = '', leaseDurationSeconds = 0, renewTime = '' } = lease?.spec ?? {};
  const leftMs = Date.parse(renewTime) + leaseDurationSeconds * 1000 - now.getTime();
  return holderIdentity !== '' && leftMs > 0 ? leftMs : undefined;
}
