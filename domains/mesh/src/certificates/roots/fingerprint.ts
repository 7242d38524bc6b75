import type { X509Certificate } from 'node:crypto';

/** SHA-256 of a certificate in lower case without colons, which identifies a root. */
export const fingerprintOf = ({ fingerprint256 }: X509Certificate): string =>
  fingerprint256.replaceAll(':', '').toLowerCase();
