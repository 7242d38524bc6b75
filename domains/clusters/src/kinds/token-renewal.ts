/** The share of a token's lifetime after which it is renewed. */
export const tokenRenewalShare = 0.8;
