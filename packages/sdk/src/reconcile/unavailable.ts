import { ChandleryError } from '@chandlery/api';
import type { ClusterRole } from '../objects/cluster-connection.ts';

/** Says that there is no way into a cluster. */
export function unavailable(role: ClusterRole): never {
  throw new ChandleryError('ClusterUnavailable', `there is no cluster "${role}" for this service`, {
    hint: 'Either the definition of the provider does not wish for it, or the cluster is gone.',
  });
}
