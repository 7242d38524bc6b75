// Compute resources. Numbers and names as in Kubernetes 1.32.

import { list, map, message, string } from '../message.ts';

/** A claim of the pod that a container uses. */
export const resourceClaim = message('A claim of the pod that a container uses.', {
  name: string(1, "Name of an entry in the pod's resourceClaims.", { required: true }),
  request: string(2, 'One request of the claim; all of them by default.'),
});

/** Compute resources that are asked for and allowed. */
export const resourceRequirements = message('Compute resources that are asked for and allowed.', {
  limits: map(1, 'quantity', 'The most that may be used.'),
  requests: map(2, 'quantity', 'The least that must be there.'),
  claims: list(3, resourceClaim, 'Claims of the pod that are used here.', { keys: ['name'] }),
});

/** Storage that is asked for and allowed. */
export const volumeResourceRequirements = message('Storage that is asked for and allowed.', {
  limits: map(1, 'quantity', 'The most that may be used.'),
  requests: map(2, 'quantity', 'The least that must be there.'),
});
