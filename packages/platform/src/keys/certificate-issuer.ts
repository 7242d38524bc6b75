/** A server certificate and its key. */
export interface ServerCertificate {
  /** The certificate, followed by the intermediates that clients need. */
  readonly certPem: string;
  /** PKCS #8. */
  readonly keyPem: string;
  /** The authority to trust. Undefined: one of the authorities that clients trust anyway. */
  readonly caPem: string | undefined;
  readonly notAfter: Date;
}

/** Issues server certificates, by an authority of ours or of others. Rejects when that is not possible, now or ever. */
export interface CertificateIssuer {
  /** Issues a certificate for a new key. Hosts are DNS names, at least one; the first label may be `*`. */
  issue(request: { readonly hosts: readonly string[] }): Promise<ServerCertificate>;
  /** Whether a certificate comes from an authority that was replaced. Default: none does. */
  isOutdated?(certPem: string): boolean;
}
