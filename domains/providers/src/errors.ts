import { ChandleryError } from '@chandlery/api';

/** The codes of errors that this domain throws. */
export const providerErrorCodes = {
  /** The Secret of an AccessRequest has no kubeconfig. */
  AccessIncomplete: 'AccessIncomplete',
} as const;

/** Rejects access through an AccessRequest without a kubeconfig. `request` is `namespace/name`. */
export const accessIncomplete = (request: string): ChandleryError =>
  new ChandleryError(providerErrorCodes.AccessIncomplete, `AccessRequest ${request} has no Secret with a kubeconfig`, {
    hint: 'See its conditions on the platform cluster.',
  });
