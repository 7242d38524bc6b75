import { ChandleryError, type KubeObject, minTokenRenewalMs, tokenRenewalShare } from '@chandlery/api';

/** The content of an AccessRequest's Secret. */
export interface AccessSecret {
  readonly kubeconfig: string;
  /** When the credentials expire; undefined when they do not, or when the Secret does not say. */
  readonly expiresAt: Date | undefined;
  readonly createdAt: Date | undefined;
}

/** Reads the Secret of an AccessRequest. Throws `AccessIncomplete` when there is no kubeconfig in it. */
export function readAccessSecret(secret: KubeObject): AccessSecret {
  const data = (secret['data'] ?? {}) as Readonly<Record<string, string>>;
  const text = (key: string): string => Buffer.from(data[key] ?? '', 'base64').toString();
  const { namespace = '', name = '' } = secret.metadata;
  if (text('kubeconfig') === '')
    throw new ChandleryError('AccessIncomplete', `Secret ${namespace}/${name} has no kubeconfig yet`);
  return {
    kubeconfig: text('kubeconfig'),
    expiresAt: unixTime(text('expirationTimestamp')),
    createdAt: unixTime(text('creationTimestamp')),
  };
}

const unixTime = (seconds: string): Date | undefined =>
  /^\d+$/.test(seconds) ? new Date(Number(seconds) * 1000) : undefined;

const maxMs = 24 * 3_600_000;
/** Read a little later than the renewal, so that the new credentials are there. */
const readShare = tokenRenewalShare + 0.05;

/** How long to wait before the Secret is read again, in case a watch misses its change. */
export function readAgainAfterMs({ expiresAt, createdAt }: AccessSecret, now: Date): number {
  if (expiresAt === undefined) return maxMs;
  const startMs = (createdAt ?? now).getTime();
  const renewalMs = startMs + readShare * (expiresAt.getTime() - startMs);
  return Math.min(maxMs, Math.max(minTokenRenewalMs, renewalMs - now.getTime()));
}
