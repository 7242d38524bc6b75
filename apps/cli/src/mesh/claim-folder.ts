import type { ClusterAccount } from './mesh-flags.ts';
import { loadMesh } from './mesh-module.ts';
import type { CertificateRequest } from './request-certificate.ts';

/** An account as the mesh names it. */
export const claimOf = ({ cluster, namespace, name }: ClusterAccount) => ({
  cluster,
  namespace,
  serviceAccount: name,
});

/** A folder, and its requested certificate. */
export interface FolderRequest extends CertificateRequest {
  readonly folder: string;
}

/**
 * Rejects with `FolderTaken` for a folder with the certificate of another owner; the mesh is compared when it is known.
 */
export async function claimFolder({ folder, account, proxyId }: FolderRequest, tenant?: string): Promise<void> {
  const { checkFolderOwner } = await loadMesh();
  const claim = { ...claimOf(account), ...(proxyId !== undefined && { proxyId }) };
  checkFolderOwner(folder, { ...claim, ...(tenant !== undefined && { tenant }) });
}
