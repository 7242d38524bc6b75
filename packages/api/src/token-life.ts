/** The share of a token's life after which its holder replaces it: the rest is for failures and late readers. */
export const tokenRenewalShare = 0.8;

/** When a token is to be renewed: after {@link tokenRenewalShare} of its life. */
export function tokenRenewalTime({ issuedAt, expiresAt }: { readonly issuedAt: Date; readonly expiresAt: Date }): Date {
  const lifeMs = expiresAt.getTime() - issuedAt.getTime();
  return new Date(issuedAt.getTime() + Math.floor(lifeMs * tokenRenewalShare));
}
