/**
 * The kinds of the mesh: policies (SMI) and virtual machines in every logical cluster; meshes and the objects of the
 * control plane on the platform cluster.
 */
import type { KindDeclaration } from '@chandlery/api';
import { awsResources } from './clouds/aws-resource.ts';
import { azureResources } from './clouds/azure-resource.ts';
import { cloudAccounts } from './clouds/cloud-account.ts';
import { googleResources } from './clouds/google-resource.ts';
import { endpointSets } from './endpoint-set.ts';
import { machineJoins } from './machine-join.ts';
import { machineRules } from './machine-rule.ts';
import { meshes } from './mesh.ts';
import { meshInquiries, meshInquiryAnswers } from './mesh-inquiry.ts';
import { meshReplicas } from './mesh-replica.ts';
import { meshRootCertificates } from './mesh-root-certificate.ts';
import { meshWorkloadCertificates } from './mesh-workload-certificate.ts';
import { smiKinds } from './smi/index.ts';
import { trafficMetrics } from './smi/traffic-metrics.ts';
import { virtualMachineSets } from './virtual-machine-set.ts';

export { type EndpointSet, endpointSets } from './endpoint-set.ts';
export { type Mesh, meshes } from './mesh.ts';
export { type MeshRootCertificate, meshRootCertificates } from './mesh-root-certificate.ts';
export type {
  CertificateList,
  ExplainedDestination,
  Explanation,
  GraphCall,
  GraphService,
  Health,
  MeshGraph,
  MeshInfo,
  NearMiss,
  PolicyName,
  ProxyList,
  ProxyStream,
  ProxyType,
  ServiceEndpoints,
  ShownCertificate,
  ShownEndpoint,
  ShownRoot,
  SyncState,
  WeightedBackend,
} from './rest-documents.ts';
export { type VirtualMachineSet, virtualMachineSets } from './virtual-machine-set.ts';

/** All stored kinds. */
export const meshKinds: readonly KindDeclaration[] = [
  ...smiKinds,
  virtualMachineSets.declaration,
  endpointSets.declaration,
  machineRules.declaration,
  machineJoins.declaration,
  cloudAccounts.declaration,
  awsResources.declaration,
  azureResources.declaration,
  googleResources.declaration,
  meshes.declaration,
  meshReplicas.declaration,
  meshInquiries.declaration,
  meshInquiryAnswers.declaration,
  meshRootCertificates.declaration,
  meshWorkloadCertificates.declaration,
];

/** Kinds that the mesh serves itself; the kernel stores no objects of them. */
export const meshServedKinds: readonly KindDeclaration[] = [trafficMetrics];
