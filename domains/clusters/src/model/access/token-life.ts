/** A token and the time it is good for. */
export interface TokenLife {
  readonly token: string;
  readonly issuedAt: Date;
  readonly expiresAt: Date;
}

/** How long a token should be good for; servers may give less. */
export const wishedTokenSeconds = 30 * 24 * 3600;

/** Tokens are not renewed more often, however short they live: a clock may be wrong. */
const shortestLifeMs = 60_000;

/** When four fifths of a token's life are over. */
export function renewalTime({ issuedAt, expiresAt }: TokenLife): Date {
  const lifeMs = expiresAt.getTime() - issuedAt.getTime();
  return new Date(issuedAt.getTime() + Math.max(shortestLifeMs, Math.floor(lifeMs * 0.8)));
}

/** What a Secret says of the token in it; undefined when anything is missing. Values are plain text. */
export function readTokenLife(data: Readonly<Record<string, string>>): TokenLife | undefined {
  const { token } = data;
  const issuedAt = readSeconds(data.creationTimestamp);
  const expiresAt = readSeconds(data.expirationTimestamp);
  if (!token || issuedAt === undefined || expiresAt === undefined) return undefined;
  return { token, issuedAt, expiresAt };
}

export const unixSeconds = (time: Date): string => String(Math.floor(time.getTime() / 1000));

function readSeconds(text: string | undefined): Date | undefined {
  return text !== undefined && /^\d{1,12}$/.test(text) ? new Date(Number(text) * 1000) : undefined;
}
