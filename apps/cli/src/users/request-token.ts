import { parseDurationMs } from '@chandlery/api';
import type { Client, ObjectRef } from '@chandlery/client';
import { usageError } from '../args/usage-error.ts';

const minTtlMs = 600_000;
const maxTtlMs = 8760 * 3_600_000;

/** The value of `--ttl` in milliseconds. Throws a usage error. */
export function ttlOf(text: string): number {
  const ms = parseDurationMs(text);
  if (ms !== undefined && ms >= minTtlMs && ms <= maxTtlMs) return ms;
  throw usageError('InvalidOption', `--ttl must be a duration from 10m to 8760h, not "${text}"`);
}

/** A token of a service account. */
export interface IssuedToken {
  readonly token: string;
  readonly expires: string;
}

/** Requests a token of a service account. */
export async function requestToken(client: Client, account: ObjectRef, ttlMs: number): Promise<IssuedToken> {
  const request = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    metadata: {},
    spec: { expirationSeconds: Math.round(ttlMs / 1000) },
  };
  const { status } = (await client.create({ ...account, subresource: 'token' }, request)) as unknown as {
    status: { token: string; expirationTimestamp: string };
  };
  return { token: status.token, expires: status.expirationTimestamp };
}
