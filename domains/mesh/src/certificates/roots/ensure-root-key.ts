import { ChandleryError, isError } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import { createCertificateAuthority } from '@chandlery/platform';
import type { MeshRootCertificate } from '../../kinds/mesh-root-certificate.ts';
import { isSecretOf, type RootPair, readRootSecret, rootSecret, rootSecretName, rootSecrets } from './root-secret.ts';

type KeyClient = Pick<Client, 'get' | 'create'>;

/**
 * Returns certificate and key of a root, and creates them if they are missing; concurrent callers get the same key.
 * Throws `RootKeyLost` when the key of a root is missing that had one: a new key would be an untrusted root.
 */
export async function ensureRootKey(client: KeyClient, root: MeshRootCertificate, now: Date): Promise<RootPair> {
  const name = root.metadata.name ?? '';
  const existing = await findPair(client, root);
  if (existing !== undefined) return existing;
  if (root.status?.fingerprint !== undefined) throw keyLost(name);
  const { trustDomain, validityDays } = root.spec;
  const authority = createCertificateAuthority({
    commonName: commonNameOf(trustDomain, name),
    validDays: validityDays,
    now,
  });
  try {
    return readRootSecret(await client.create(rootSecrets, rootSecret(root, authority)));
  } catch (error) {
    const made = isError(error, 'AlreadyExists') ? await findPair(client, root) : undefined;
    if (made !== undefined) return made;
    throw error;
  }
}

/**
 * For display. It differs between the roots of one trust domain, so that chains are built quickly; it is truncated to
 * the limit of X.520.
 */
const commonNameOf = (trustDomain: string, name: string): string => `${name}.${trustDomain}`.slice(0, 64);

async function findPair(client: KeyClient, root: MeshRootCertificate): Promise<RootPair | undefined> {
  try {
    const secret = await client.get({ ...rootSecrets, name: rootSecretName(root.metadata.name ?? '') });
    return isSecretOf(root, secret) ? readRootSecret(secret) : undefined;
  } catch (error) {
    if (isError(error, 'NotFound')) return undefined;
    throw error;
  }
}

const keyLost = (name: string): ChandleryError =>
  new ChandleryError('RootKeyLost', `the key of the root "${name}" is lost`, {
    hint: `Restore the Secret "${rootSecretName(name)}" from a backup, or replace the root by a new one.`,
  });
