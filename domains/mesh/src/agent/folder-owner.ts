import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ChandleryError } from '@chandlery/api';
import { certificateUris } from '../certificates/certificate-uris.ts';
import { type ProxyIdentity, parseSpiffeId } from '../model/identity.ts';
import { fileNames } from './certificate-folder.ts';

/** The intended owner of a folder. */
export interface FolderClaim {
  readonly cluster: string;
  readonly namespace: string;
  readonly serviceAccount: string;
  /** The only node id of the certificate. Default: that of the existing certificate. */
  readonly proxyId?: string;
  /** The mesh of the cluster. Default: unknown, and not compared. */
  readonly tenant?: string;
}

/**
 * Returns the owner of the certificate in a folder; undefined when there is none. Throws `FolderTaken` when the owner
 * differs: overwriting the files would break the workload that uses them. The certificate may be expired; files that
 * are not certificates have no owner.
 */
export function checkFolderOwner(folder: string, claim: FolderClaim): ProxyIdentity | undefined {
  const leaf = leafIn(folder);
  if (leaf === undefined) return undefined;
  const [uri = '', ...more] = certificateUris(leaf);
  const owner = more.length === 0 ? parseSpiffeId(uri) : undefined;
  if (owner === undefined) throw taken(folder, 'holds a certificate that is not of the mesh');
  const difference = differenceOf(owner, claim);
  if (difference !== undefined) throw taken(folder, `belongs to ${difference}`);
  return owner;
}

/** Reads the certificate only; the key may be missing. */
function leafIn(folder: string): X509Certificate | undefined {
  try {
    return new X509Certificate(readFileSync(join(folder, fileNames.cert)));
  } catch {
    return undefined;
  }
}

/**
 * Describes the owner of the folder if it differs from the claim. Trust domains are not compared, because they change
 * with the roots.
 */
function differenceOf(owner: ProxyIdentity, claim: FolderClaim): string | undefined {
  const account = `account ${owner.namespace}/${owner.serviceAccount} of cluster ${owner.cluster}`;
  const isSameAccount = (['cluster', 'namespace', 'serviceAccount'] as const).every(key => owner[key] === claim[key]);
  if (!isSameAccount) return account;
  if (claim.tenant !== undefined && claim.tenant !== owner.tenant) return `${account} in mesh ${owner.tenant}`;
  if (claim.proxyId === undefined || claim.proxyId === owner.proxyId) return undefined;
  return owner.proxyId === undefined ? `${account} itself, not to a proxy` : `proxy ${owner.proxyId} of ${account}`;
}

const taken = (folder: string, why: string): ChandleryError =>
  new ChandleryError('FolderTaken', `the folder ${folder} ${why}`, {
    hint: 'Name another folder with --dir; or remove this one, if its certificate is no longer used.',
  });
