/** The share of a token's life after which its holder renews it: the rest is for failures and late readers. */
export const tokenRenewalShare = 0.8;
