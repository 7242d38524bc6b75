import { defineKind, type ObjectOf } from '@chandlery/api';
import { Type } from 'typebox';

/**
 * Certificates of workloads with keys, as earlier versions stored them. They are no longer written: keys stay with
 * their workloads. The kind is declared so that remaining objects can be found and deleted, see `deleteStoredKeys`.
 */
export const meshWorkloadCertificates = defineKind({
  group: 'mesh.chandlery.io',
  version: 'v1alpha1',
  kind: 'MeshWorkloadCertificate',
  scope: 'Cluster',
  servedIn: ['platform'],
  isSecret: true,
  ttlSeconds: 24 * 60 * 60,
  description: 'Certificates with keys as earlier versions kept them. Deleted on sight by the control plane.',
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
