import type { MeshClient } from './mesh-client.ts';
import type { ClusterAccount } from './mesh-flags.ts';
import { loadMesh } from './mesh-module.ts';
import { askTrust, type CertificateWish } from './request-certificate.ts';

/** An account in the words of the mesh. */
export const claimOf = ({ cluster, namespace, name }: ClusterAccount) => ({
  cluster,
  namespace,
  serviceAccount: name,
});

/** A folder, and what it is wanted for. */
export interface FolderWish extends CertificateWish {
  readonly mesh: MeshClient;
  readonly folder: string;
}

/** Rejects with `FolderTaken` where somebody else's certificate is kept. */
export async function claimFolder({ mesh, folder, account, proxyId }: FolderWish, signal: AbortSignal): Promise<void> {
  const { checkFolderOwner } = await loadMesh();
  const claim = { ...claimOf(account), ...(proxyId !== undefined && { proxyId }) };
  if (checkFolderOwner(folder, claim) === undefined) return;
  // While the landscape is away nobody knows which mesh the account is in, and the certificate that is there may do.
  const trust = await askTrust(mesh, account, signal).catch(() => undefined);
  if (trust !== undefined) checkFolderOwner(folder, { ...claim, tenant: trust.tenant });
}
