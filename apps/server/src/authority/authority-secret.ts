import { type KubeObject, parseJson } from '@chandlery/api';
import { platformCluster } from '@chandlery/kernel';
import { type CertificateAuthority, loadCertificateAuthority } from '@chandlery/platform';
import { issuingOf, type Rotation, type RotationPhase } from './rotation.ts';

/** Where the authorities are stored once they were rotated. */
export const authorityKey = {
  cluster: platformCluster,
  resource: '/secrets',
  namespace: 'kube-system',
  name: 'landscape-authority',
} as const;

/** The same for clients. */
export const authorityRef = {
  group: '',
  version: 'v1',
  plural: 'secrets',
  namespace: authorityKey.namespace,
  name: authorityKey.name,
} as const;

/** The Secret of a rotation. `tls.crt` and `tls.key` are of the authority that issues, `ca.crt` is what to trust. */
export function authoritySecret(rotation: Rotation, resourceVersion: string | undefined): KubeObject {
  const { phase, version, since, dropAt, present, old } = rotation;
  const { authority, trustPem } = issuingOf(rotation);
  const texts = {
    'rotation.json': JSON.stringify({ phase, version, since, dropAt }),
    'ca.crt': trustPem,
    'tls.crt': authority.certificatePem,
    'tls.key': authority.privateKeyPem,
    'present.crt': present.certificatePem,
    'present.key': present.privateKeyPem,
    ...(old === undefined ? {} : { 'old.crt': old.certificatePem, 'old.key': old.privateKeyPem }),
  };
  const data = Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, encode(text)]));
  const { namespace, name } = authorityRef;
  const metadata = { namespace, name, ...(resourceVersion === undefined ? {} : { resourceVersion }) };
  return { apiVersion: 'v1', kind: 'Secret', type: 'kubernetes.io/tls', metadata, data };
}

/** Reads a Secret back. Throws when it is not what {@link authoritySecret} makes. */
export function readAuthoritySecret(secret: KubeObject): Rotation {
  const data = (secret['data'] ?? {}) as Readonly<Record<string, string | undefined>>;
  const text = (name: string): string => Buffer.from(data[name] ?? '', 'base64').toString();
  const pair = (name: string): CertificateAuthority =>
    loadCertificateAuthority(text(`${name}.crt`), text(`${name}.key`));
  const { phase, version, since, dropAt } = parseJson(text('rotation.json')) as Readonly<Record<string, unknown>>;
  if (!isPhase(phase) || typeof version !== 'number')
    throw new Error(`the Secret ${authorityRef.namespace}/${authorityRef.name} has no valid rotation.json`);
  return {
    phase,
    version,
    present: pair('present'),
    old: phase === 'settled' ? undefined : pair('old'),
    since: typeof since === 'string' ? since : undefined,
    dropAt: typeof dropAt === 'string' ? dropAt : undefined,
  };
}

const isPhase = (value: unknown): value is RotationPhase =>
  value === 'settled' || value === 'trusted' || value === 'issuing';

const encode = (text: string): string => Buffer.from(text).toString('base64');
