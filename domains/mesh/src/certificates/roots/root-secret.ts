import { X509Certificate } from 'node:crypto';
import type { KubeObject } from '@chandlery/api';
import type { ResourceRef } from '@chandlery/client';
import { type CertificateAuthority, loadCertificateAuthority } from '@chandlery/platform';
import { ownerReference } from '@chandlery/runtime';
import type { MeshRootCertificate } from '../../kinds/mesh-root-certificate.ts';
import { fingerprintOf } from './fingerprint.ts';
import type { Root } from './trust.ts';

/** Namespace of the keys of roots on the platform cluster. */
export const meshNamespace = 'chandlery-mesh';

export const rootSecrets: ResourceRef = { group: '', version: 'v1', plural: 'secrets', namespace: meshNamespace };

export const rootSecretName = (root: string): string => `mesh-root-${root}`;

/** The Secret with the certificate and the key of a root, which always belong together. */
export const rootSecret = (root: MeshRootCertificate, authority: CertificateAuthority): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: {
    name: rootSecretName(root.metadata.name ?? ''),
    namespace: meshNamespace,
    // Deleted with its root.
    ownerReferences: [ownerReference(root)],
  },
  type: 'kubernetes.io/tls',
  data: { 'tls.crt': toBase64(authority.certificatePem), 'tls.key': toBase64(authority.privateKeyPem) },
});

/** False for the Secret of a deleted root of the same name. */
export function isSecretOf({ metadata: { uid } }: MeshRootCertificate, { metadata }: KubeObject): boolean {
  const owners = metadata.ownerReferences ?? [];
  return owners.length === 0 || owners.some(owner => owner.uid === uid);
}

const toBase64 = (text: string): string => Buffer.from(text).toString('base64');

/** Certificate and key of a root with their fingerprint. */
export interface RootPair {
  readonly authority: CertificateAuthority;
  readonly fingerprint: string;
}

/** Reads a {@link rootSecret}. Throws `InvalidAuthority` when its parts are missing or do not belong together. */
export function readRootSecret(secret: KubeObject): RootPair {
  const data = (secret['data'] ?? {}) as Record<string, string | undefined>;
  const text = (key: string): string => Buffer.from(data[key] ?? '', 'base64').toString();
  const authority = loadCertificateAuthority(text('tls.crt'), text('tls.key'));
  return { authority, fingerprint: fingerprintOf(new X509Certificate(authority.certificatePem)) };
}

/** Combines the declaration of a root with its key. */
export function joinRoot({ metadata, spec }: MeshRootCertificate, pair: RootPair): Root {
  return {
    name: metadata.name ?? '',
    role: spec.role,
    trustDomain: spec.trustDomain,
    createdAt: metadata.creationTimestamp ?? '',
    ...(spec.replaces === undefined ? {} : { replaces: spec.replaces }),
    ...pair,
  };
}
