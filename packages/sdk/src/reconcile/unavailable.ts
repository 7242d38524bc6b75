import { ChandleryError } from '@chandlery/api';
import type { ClusterRole } from '../objects/cluster-connection.ts';

/** Throws for a cluster without access. */
export function unavailable(role: ClusterRole): never {
  throw new ChandleryError('ClusterUnavailable', `there is no cluster "${role}" for this service`, {
    hint: 'Either the definition of the provider does not require it, or the cluster is deleted.',
  });
}
