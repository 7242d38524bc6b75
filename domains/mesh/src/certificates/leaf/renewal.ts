const minuteMs = 60_000;

/** Validity of a certificate. */
export interface Period {
  readonly notBefore: Date;
  readonly notAfter: Date;
}

/** Jitter of renewals. */
const spreadMs = 5000;

/**
 * When a certificate is to be renewed: with a third of its lifetime left, but at least five minutes, minus jitter.
 * `random` is in [0, 1).
 */
export function renewalTime({ notBefore, notAfter }: Period, random: number): Date {
  const lifeMs = notAfter.getTime() - notBefore.getTime();
  return new Date(notAfter.getTime() - Math.max(lifeMs / 3, 5 * minuteMs) - random * spreadMs);
}
