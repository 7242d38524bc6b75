import type { TokenIssuer } from '@chandlery/kernel';
import type { ServiceAccountTokens } from '@chandlery/platform';

/** Lets the kernel issue tokens; what a request leaves open is decided by `tokens`. */
export const tokenIssuer = (tokens: ServiceAccountTokens): TokenIssuer => ({
  issue: async ({ audiences, expirationSeconds, ...request }) =>
    tokens.issue({
      ...request,
      ...(audiences.length === 0 ? {} : { audiences }),
      ...(expirationSeconds === undefined ? {} : { expirationSeconds }),
    }),
});
