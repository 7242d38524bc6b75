/** What runs outside the control plane: the agent beside a workload, its certificate folder, and the operator's commands. */

export { createCsr } from '../certificates/csr/create-csr.ts';
export { startRootRotation } from '../certificates/start-root-rotation.ts';
export { azureNonce } from '../joins/verify-azure.ts';
export { joinPlace, joinProofText } from '../model/joins/join-proof.ts';
export { serverListenerPrefix, workloadSecret } from '../model/resource-names.ts';
export {
  type CertificateFiles,
  leafOf,
  readCertificateFolder,
  writeCertificateFolder,
} from './certificate-folder.ts';
export { probeControlPlane } from './connect-control-plane.ts';
export { checkFolderOwner } from './folder-owner.ts';
export { type ManagedCertificate, manageCertificate } from './manage-certificate.ts';
export { openTunnel, type Tunnel, type TunnelAddress } from './open-tunnel.ts';
