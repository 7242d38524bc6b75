import { minTokenRenewalMs, tokenRenewalShare } from '@chandlery/api';

/** A token and its validity. */
export interface TokenLife {
  readonly token: string;
  readonly issuedAt: Date;
  readonly expiresAt: Date;
}

/** The requested lifetime of a token, which is renewed long before; servers may give less. */
export const requestedTokenSeconds = 48 * 3600;

/** When a token is renewed: after a fixed share of its lifetime. */
export function renewalTime({ issuedAt, expiresAt }: TokenLife): Date {
  const lifeMs = expiresAt.getTime() - issuedAt.getTime();
  return new Date(issuedAt.getTime() + Math.max(minTokenRenewalMs, Math.floor(lifeMs * tokenRenewalShare)));
}

/** Reads the token of a Secret and its validity; undefined when anything is missing. Values are plain text. */
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
