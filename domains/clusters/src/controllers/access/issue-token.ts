import { ChandleryError, type KubeObject, parseTime } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import type { AccessRequest } from '../../kinds/index.ts';
import { accessHash, accessNamespace, type Granter } from '../../model/access/access-names.ts';
import { requestedTokenSeconds, type TokenLife } from '../../model/access/token-life.ts';

const accountsRef = { group: '', version: 'v1', plural: 'serviceaccounts', namespace: accessNamespace };

/** The request's service account on its cluster. */
export function findAccount(
  client: Client,
  { metadata: { name = '', namespace = '' } }: AccessRequest,
  { granter, signal }: { readonly granter: Granter; readonly signal: AbortSignal },
): Promise<KubeObject> {
  return client.get({ ...accountsRef, name: accessHash(granter, { name, namespace }) }, { signal });
}

/** Requests a token from the cluster, which often grants a shorter lifetime. */
export async function issueToken(
  client: Client,
  account: KubeObject,
  { now, signal }: { readonly now: Date; readonly signal: AbortSignal },
): Promise<TokenLife> {
  const ref = { ...accountsRef, name: account.metadata.name ?? '', subresource: 'token' };
  const answer = await client.create(ref, tokenRequest, { signal });
  const { token, expirationTimestamp } = (answer['status'] ?? {}) as Record<string, string | undefined>;
  const expiresAt = parseTime(expirationTimestamp ?? '');
  if (!token || expiresAt === undefined) throw noToken();
  return { token, issuedAt: wholeSeconds(now), expiresAt: wholeSeconds(expiresAt) };
}

const tokenRequest: KubeObject = {
  apiVersion: 'authentication.k8s.io/v1',
  kind: 'TokenRequest',
  metadata: {},
  spec: { expirationSeconds: requestedTokenSeconds },
};

/** Secrets store whole seconds. */
const wholeSeconds = (time: Date): Date => new Date(Math.floor(time.getTime() / 1000) * 1000);

const noToken = (): ChandleryError =>
  new ChandleryError('UnexpectedAnswer', 'the cluster answered a TokenRequest without a token');
