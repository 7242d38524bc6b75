/** The share of the life of tokens of AccessRequests and pods after which they are renewed; the rest is for failures. */
export const tokenRenewalShare = 0.8;

/** The shortest time between renewals and between reads, whatever a token says: a clock may be wrong. */
export const minTokenRenewalMs = 60_000;
