import { X509Certificate } from 'node:crypto';
import { fingerprintOf } from '../certificates/roots/fingerprint.ts';
import type { CertificateList, ProxyList, ProxyStream, ShownCertificate, ShownRoot } from '../kinds/rest-documents.ts';
import type { MeshAuthority } from '../ports.ts';

/** Lists the roots of trust and the certificates with which proxies are connected, those first that expire next. */
export function listCertificates(
  { mesh, items, silentReplicas }: ProxyList,
  {
    trustBundle,
    signerFingerprint,
    trustDomains,
  }: Pick<MeshAuthority, 'trustBundle' | 'signerFingerprint' | 'trustDomains'>,
): CertificateList {
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

const certificateOf = ({ identity, nodeId, cluster, replica, certificate }: ProxyStream): ShownCertificate[] =>
  certificate === undefined ? [] : [{ identity, nodeId, cluster, replica, ...certificate }];

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
