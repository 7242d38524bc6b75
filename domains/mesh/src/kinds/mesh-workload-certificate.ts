import { defineKind, type ObjectOf } from '@chandlery/api';
import { Type } from 'typebox';

/** The longest that a workload's certificate lasts. */
export const longestWorkloadHours = 24;

/**
 * The certificates of workloads with their keys, so that all replicas hand out the same. Written by the control plane
 * alone, encrypted at rest, and gone by themselves once nobody renews them.
 */
export const meshWorkloadCertificates = defineKind({
  group: 'mesh.chandlery.io',
  version: 'v1alpha1',
  kind: 'MeshWorkloadCertificate',
  scope: 'Cluster',
  servedIn: ['platform'],
  isSecret: true,
  ttlSeconds: longestWorkloadHours * 60 * 60,
  description: 'The certificate and key of a workload. Written by the control plane alone.',
  spec: Type.Object({
    tenant: Type.String(),
    cluster: Type.String(),
    namespace: Type.String(),
    serviceAccount: Type.String(),
    root: Type.String({ description: 'Fingerprint of the root that signed it.' }),
    chain: Type.String({ description: 'PEM, leaf first.' }),
    privateKey: Type.String({ description: 'PEM, PKCS #8.' }),
    notBefore: Type.String(),
    notAfter: Type.String(),
  }),
  columns: [
    { name: 'Tenant', type: 'string', jsonPath: '.spec.tenant' },
    { name: 'Cluster', type: 'string', jsonPath: '.spec.cluster' },
    { name: 'Namespace', type: 'string', jsonPath: '.spec.namespace' },
    { name: 'Account', type: 'string', jsonPath: '.spec.serviceAccount' },
    { name: 'Ends', type: 'string', jsonPath: '.spec.notAfter' },
  ],
});

export type MeshWorkloadCertificate = ObjectOf<typeof meshWorkloadCertificates>;
