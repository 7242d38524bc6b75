import { X509Certificate } from 'node:crypto';
import { fingerprintOf } from '../certificates/roots/fingerprint.ts';
import type { MeshAuthority } from '../ports.ts';
import type { ListedProxies, ListedStream } from './list-proxies.ts';

/** A root of trust, as everyone in the mesh may know it. */
interface ShownRoot {
  /** SHA-256, hexadecimal. */
  readonly fingerprint: string;
  readonly subject: string;
  readonly notBefore: string;
  readonly notAfter: string;
  /** Whether it signs new certificates; the others are trusted only. */
  readonly isSigning: boolean;
}

/** The certificate of a connected proxy. */
interface ShownCertificate {
  readonly identity: string;
  readonly nodeId: string;
  readonly cluster: string;
  readonly replica: string;
  /** Fingerprint of its root. */
  readonly root: string;
  readonly notAfter?: string;
}

/** Lists the roots of trust and the certificates with which proxies are connected, those first that expire next. */
export function listCertificates(
  { mesh, items, silentReplicas }: ListedProxies,
  {
    trustBundle,
    signerFingerprint,
    trustDomains,
  }: Pick<MeshAuthority, 'trustBundle' | 'signerFingerprint' | 'trustDomains'>,
): object {
  const byProxy = new Map(
    items
      .flatMap(stream => certificateOf(stream))
      .map(each => [`${each.replica} ${each.nodeId} ${each.identity}`, each]),
  );
  const expiry = ({ notAfter = '' }: ShownCertificate): string => notAfter;
  return {
    mesh,
    trustDomains,
    roots: rootsOf(trustBundle, signerFingerprint),
    items: [...byProxy.values()].toSorted((one, other) => expiry(one).localeCompare(expiry(other))),
    ...(silentReplicas && { silentReplicas }),
  };
}

function certificateOf(stream: ListedStream): ShownCertificate[] {
  const certificate = stream['certificate'] as Pick<ShownCertificate, 'root' | 'notAfter'> | undefined;
  if (certificate === undefined) return [];
  const { nodeId, replica } = stream;
  return [
    { identity: String(stream['identity']), nodeId, cluster: String(stream['cluster']), replica, ...certificate },
  ];
}

const pemBlock = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;

const rootsOf = (bundle: string, signer: string | undefined): readonly ShownRoot[] =>
  (bundle.match(pemBlock) ?? []).map(pem => {
    const certificate = new X509Certificate(pem);
    const fingerprint = fingerprintOf(certificate);
    return {
      fingerprint,
      subject: certificate.subject,
      notBefore: certificate.validFromDate.toISOString(),
      notAfter: certificate.validToDate.toISOString(),
      isSigning: fingerprint === signer,
    };
  });
