import { ChandleryError } from '@chandlery/api';

/** Why something is given up for which nobody waits any longer. */
export const clientDisconnected = (): ChandleryError =>
  new ChandleryError('Aborted', 'the client did not wait for the answer', { hint: 'Ask again' });
