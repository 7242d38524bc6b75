import { X509Certificate } from 'node:crypto';

/** The fingerprint of the root of a bundle that signed a certificate (leaf first). All PEM. */
export function signerOf({ cert, ca }: { readonly cert: string; readonly ca: string }): string | undefined {
  const leaf = new X509Certificate(cert);
  const roots = ca.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  return roots.map(pem => new X509Certificate(pem)).find(({ publicKey }) => leaf.verify(publicKey))?.fingerprint256;
}
