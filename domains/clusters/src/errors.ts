import { ChandleryError } from '@chandlery/api';

/** The codes of errors that sources of clusters throw. */
export const clusterErrorCodes = {
  /** The cluster cannot be reached yet, or no longer. */
  ClusterNotReady: 'ClusterNotReady',
  /** The connection of the cluster is not allowed or not complete. */
  InvalidConnection: 'InvalidConnection',
} as const;

/** The error of a cluster that is not ready. */
export const clusterNotReady = (place: string, why: string, cause?: unknown): ChandleryError =>
  new ChandleryError(clusterErrorCodes.ClusterNotReady, `cluster ${place} cannot be reached: ${why}`, {
    hint: 'Look at the condition Ready of the Cluster.',
    cause,
  });

export const invalidConnection = (message: string, hint: string): ChandleryError =>
  new ChandleryError(clusterErrorCodes.InvalidConnection, message, { hint });
