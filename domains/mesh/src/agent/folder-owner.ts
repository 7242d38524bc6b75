import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ChandleryError } from '@chandlery/api';
import { certificateUris } from '../certificates/certificate-uris.ts';
import { type ProxyIdentity, parseSpiffeId } from '../model/identity.ts';
import { fileNames } from './certificate-folder.ts';

/** For whom a folder is to be used. */
export interface FolderClaim {
  readonly cluster: string;
  readonly namespace: string;
  readonly serviceAccount: string;
  /** The only node id that its certificate is to be good for. Default: whatever it was good for before. */
  readonly proxyId?: string;
  /** The mesh of the cluster. Default: not known, and not looked at. */
  readonly tenant?: string;
}

/**
 * Whose certificate is in a folder; undefined when there is none. Throws `FolderTaken` when it is somebody else's: writing
 * another one over it would take it from a workload that uses it. It may have ended long ago; files that are not
 * certificates belong to nobody.
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

/** However the files came there: of a key that is missing nothing is asked. */
function leafIn(folder: string): X509Certificate | undefined {
  try {
    return new X509Certificate(readFileSync(join(folder, fileNames.cert)));
  } catch {
    return undefined;
  }
}

/** Whose the folder is, as far as that is not who claims it. Trust domains are left out: they follow the roots. */
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
    hint: 'Name another folder with --dir; or remove this one, if nobody uses its certificate any more.',
  });
