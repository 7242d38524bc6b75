import type { ClusterAccount } from './mesh-flags.ts';
import { loadMesh } from './mesh-module.ts';
import type { CertificateWish } from './request-certificate.ts';

/** An account in the words of the mesh. */
export const claimOf = ({ cluster, namespace, name }: ClusterAccount) => ({
  cluster,
  namespace,
  serviceAccount: name,
});

/** A folder, and what it is wanted for. */
export interface FolderWish extends CertificateWish {
  readonly folder: string;
}

/** Rejects with `FolderTaken` where somebody else's certificate is kept; the mesh is looked at when it is known. */
export async function claimFolder({ folder, account, proxyId }: FolderWish, tenant?: string): Promise<void> {
  const { checkFolderOwner } = await loadMesh();
  const claim = { ...claimOf(account), ...(proxyId !== undefined && { proxyId }) };
  checkFolderOwner(folder, { ...claim, ...(tenant !== undefined && { tenant }) });
}
