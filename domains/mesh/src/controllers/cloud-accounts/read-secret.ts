import type { KubeObject } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import { ignoreNotFound } from '@chandlery/runtime';
import type { ReadSecret } from './cloud-account-deps.ts';

export const secretsRef = { group: '', version: 'v1', plural: 'secrets' };

/** What an informer keeps of a Secret: that it exists and when it changes, but not its content. */
export type SecretMetadata = KubeObject;

export function secretMetadata({ apiVersion, kind, metadata }: KubeObject): SecretMetadata {
  const { name = '', namespace = '', uid = '', resourceVersion = '' } = metadata;
  return { apiVersion, kind, metadata: { name, namespace, uid, resourceVersion } };
}

interface Secret extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

/** Reads a Secret; undefined for a missing one. */
export async function readSecret(
  client: Pick<Client, 'get'>,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  signal: AbortSignal,
): Promise<ReadSecret | undefined> {
  const secret = await client.get<Secret>({ ...secretsRef, namespace, name }, { signal }).catch(ignoreNotFound);
  if (secret === undefined) return undefined;
  const entries = Object.entries(secret.data ?? {}).map(([key, value]): [string, string] => [
    key,
    Buffer.from(value, 'base64').toString().trim(),
  ]);
  const { uid = '', resourceVersion = '' } = secret.metadata;
  return { entries: Object.fromEntries(entries), version: `${uid}/${resourceVersion}` };
}
