const minuteMs = 60_000;

/** From when to when something holds, in wall clock time. */
export interface Period {
  readonly notBefore: Date;
  readonly notAfter: Date;
}

/** Renewals of one moment are spread over so long. */
const spreadMs = 5000;

/**
 * When a certificate is to be renewed: with a third of its life left, but with five minutes at least, and up to five
 * seconds earlier by chance. `random` is from 0 up to but not 1.
 */
export function renewalTime({ notBefore, notAfter }: Period, random: number): Date {
  const lifeMs = notAfter.getTime() - notBefore.getTime();
  return new Date(notAfter.getTime() - Math.max(lifeMs / 3, 5 * minuteMs) - random * spreadMs);
}
