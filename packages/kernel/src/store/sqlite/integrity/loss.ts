/** The fact that names acknowledged writes that are lost, until the operator accepts the loss. */
export const lossFact = 'store.lost';

/** Names the writes that are missing: those after `present`, up to the last one that was acknowledged. */
export const lossMessage = (present: number, acknowledged: number): string =>
  `the acknowledged writes of revisions ${present + 1} to ${acknowledged} are lost`;
