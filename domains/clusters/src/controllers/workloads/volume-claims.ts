import { type Controller, createController, keyOf, type StepResult } from '@chandlery/runtime';
import { boundStatus, claimKeys, usesClaims, type VolumeClaim } from '../../model/workloads/volume-claims.ts';
import { refs } from './refs.ts';
import { plainOptions, type WorkloadDeps } from './workload-deps.ts';

interface Deps {
  readonly isUsed: (claim: VolumeClaim) => boolean;
  readonly removeFolder: (claim: VolumeClaim) => Promise<void>;
}

const byClaim = 'claim';

/** Protects claims that pods use; the content of a claim is deleted with it. */
export function volumeClaimController(deps: WorkloadDeps, cluster: string): Controller {
  const { caches, node } = deps;
  const pods = caches.pods.informer;
  pods.addIndex(byClaim, claimKeys);
  return createController<VolumeClaim, Deps>({
    ...plainOptions<VolumeClaim>(deps, 'volume-claims'),
    for: { ref: refs.persistentVolumeClaims, informer: caches.volumeClaims },
    watches: [{ informer: pods, mapToKeys: claimKeys }],
    finalizer: 'kubernetes.io/pvc-protection',
    steps: [bindClaim],
    onDelete: [removeClaim],
    needs: {
      isUsed: claim => pods.byIndex(byClaim, keyOf(claim)).some(usesClaims),
      removeFolder: ({ metadata: { namespace = '', name = '' } }) => node.removeClaims(cluster, { namespace, name }),
    },
  });
}

function bindClaim(claim: VolumeClaim, { isUsed }: Deps): StepResult {
  if (isUsed(claim)) claim.status = boundStatus(claim);
  return 'continue';
}

async function removeClaim(claim: VolumeClaim, { isUsed, removeFolder }: Deps): Promise<StepResult> {
  if (isUsed(claim)) return 'stop';
  await removeFolder(claim);
  return 'continue';
}
