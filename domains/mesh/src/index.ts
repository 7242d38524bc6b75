/**
 * The mesh: every proxy knows every endpoint.
 *
 * - `openMeshControlPlane`: the discovery server (xDS), the catalog behind it, certificates, and the routes for people.
 * - `defaultEndpointsProviders`, `createPolledEndpoints`: who knows where services run, and how to add somebody who does.
 * - `kinds`: what is declared to the kernel (SMI's kinds, meshes, virtual machines, roots of trust).
 */

export { type MeshAdmissionRule, meshAdmissionRules } from './admission/admission-rules.ts';
export { type RootChange, rootChangeProblem } from './admission/admit-root-change.ts';
export { checkMachineSet } from './admission/check-machine-set.ts';
export {
  type CertificateFiles,
  leafOf,
  readCertificateFolder,
  writeCertificateFolder,
} from './agent/certificate-folder.ts';
export { probeControlPlane } from './agent/connect-control-plane.ts';
export { checkFolderOwner } from './agent/folder-owner.ts';
export { type ManagedCertificate, manageCertificate } from './agent/manage-certificate.ts';
export { openTunnel, type Tunnel, type TunnelAddress } from './agent/open-tunnel.ts';
export { createCsr } from './certificates/csr/create-csr.ts';
export { startRootRotation } from './certificates/start-root-rotation.ts';
export { defaultEndpointsProviders } from './endpoints/default-providers.ts';
export { createPolledEndpoints, type PolledEndpointsOptions } from './endpoints/polled-endpoints.ts';
export type { Authorizer, ResourceAttributes } from './facade/authorizer.ts';
export { type ConnectMember, MemberConnections } from './members/member-connections.ts';
export type { Endpoint, EndpointHealth } from './model/endpoint.ts';
export { serverListenerPrefix, workloadSecret } from './model/resource-names.ts';
export {
  type MeshControlPlane,
  type MeshControlPlaneOptions,
  openMeshControlPlane,
} from './open-control-plane.ts';
export type {
  EndpointsProvider,
  EndpointsProviderDeps,
  EndpointsProviderFactory,
  OpenedProviders,
  ProviderMember,
} from './ports/endpoints.ts';
