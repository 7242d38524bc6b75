import type { KubeObject } from '@chandlery/api';
import { isOver } from '../pods/pod-status.ts';
import type { PodObject } from './objects.ts';

/** A PersistentVolumeClaim, as far as it is read here. */
export interface VolumeClaim extends KubeObject {
  spec?: { accessModes?: string[]; resources?: { requests?: Record<string, string> } };
  status?: { phase?: string; accessModes?: string[]; capacity?: Record<string, string> };
}

/** Keys of the claims that a pod mounts. */
export const claimKeys = ({ spec, metadata }: PodObject): readonly string[] =>
  (spec?.volumes ?? []).flatMap(({ persistentVolumeClaim: claim }) =>
    claim === undefined ? [] : [`${metadata.namespace}/${claim.claimName}`],
  );

/** Whether a pod keeps its claims from going: it has a node, and is not over. */
export const usesClaims = ({ spec, status }: PodObject): boolean =>
  (spec?.nodeName ?? '') !== '' && !isOver(status?.phase ?? 'Pending');

/** The status of a claim that a pod uses: it has what it asked for, since nothing is measured. */
export const boundStatus = ({ spec, status }: VolumeClaim): NonNullable<VolumeClaim['status']> => ({
  ...status,
  phase: 'Bound',
  accessModes: spec?.accessModes ?? [],
  capacity: { ...spec?.resources?.requests },
});

/** Why a pod cannot run before something is done about its claims; undefined when it can. */
export function claimProblem(pod: PodObject, find: (key: string) => VolumeClaim | undefined): string | undefined {
  for (const key of claimKeys(pod)) {
    const name = key.slice(key.indexOf('/') + 1);
    const claim = find(key);
    if (claim === undefined) return `persistentvolumeclaim "${name}" not found`;
    if (claim.metadata.deletionTimestamp !== undefined) return `persistentvolumeclaim "${name}" is being deleted`;
  }
  return undefined;
}
