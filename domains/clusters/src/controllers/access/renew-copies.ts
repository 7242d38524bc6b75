import { isError, type KubeObject } from '@chandlery/api';
import type { Client, ObjectRef } from '@chandlery/client';
import type { AccessRequest } from '../../kinds/index.ts';
import { withNewToken } from '../../model/access/token-copies.ts';
import type { AccessDeps } from './access-deps.ts';

interface Renewal {
  /** The newest token. */
  readonly token: string;
  /** The name of the request's service account. */
  readonly account: string;
  readonly signal: AbortSignal;
}

type Copy = NonNullable<AccessRequest['spec']['copies']>[number];

const secretsRef = { group: '', version: 'v1', plural: 'secrets' };
const fieldManager = 'chandlery-access';

/**
 * Writes the newest token into the Secrets with copies of it. Tokens are identified by their subject, so that a copy
 * that missed some renewals is updated by the next. A missing Secret is no error.
 */
export async function renewCopies(
  { spec }: AccessRequest,
  deps: Pick<AccessDeps, 'connectTo'>,
  renewal: Renewal,
): Promise<void> {
  for (const copy of spec.copies ?? []) {
    const client = await deps.connectTo(copy.clusterRef);
    if (client !== undefined) await renewCopy(client, copy, renewal);
  }
}

async function renewCopy(client: Client, { namespace, name }: Copy, renewal: Renewal): Promise<void> {
  const { signal } = renewal;
  const ref: ObjectRef = { ...secretsRef, namespace, name };
  try {
    const secret = await client.get(ref, { signal });
    const data = changedData(secret, renewal);
    if (Object.keys(data).length === 0) return;
    const { uid, resourceVersion } = secret.metadata;
    const body = { metadata: { uid, resourceVersion }, data };
    await client.patch(ref, { type: 'merge', body }, { fieldManager, signal });
  } catch (error) {
    if (!isError(error, 'NotFound')) throw error;
  }
}

function changedData(secret: KubeObject, { account, token }: Renewal): Record<string, string> {
  const data = (secret['data'] ?? {}) as Readonly<Record<string, string>>;
  const renewed = Object.entries(data).map(([key, encoded]) => {
    const text = Buffer.from(encoded, 'base64').toString();
    const next = withNewToken(text, account, token);
    return next === text ? undefined : ([key, Buffer.from(next).toString('base64')] as const);
  });
  return Object.fromEntries(renewed.filter(entry => entry !== undefined));
}
