import { certificatePaths } from './bootstrap-wish.ts';

const url = (name: string): string => `type.googleapis.com/envoy.extensions.${name}`;

/** Type URLs of what a bootstrap packs. */
export const envoyTypes = {
  httpOptions: url('upstreams.http.v3.HttpProtocolOptions'),
  upstreamTls: url('transport_sockets.tls.v3.UpstreamTlsContext'),
  secret: url('transport_sockets.tls.v3.Secret'),
} as const;

/** What the bootstrap calls the secrets in {@link sdsFiles}. */
export const sdsNames = { certificate: 'xds-certificate', roots: 'xds-roots' } as const;

/** A file of an Envoy. */
export interface EnvoyFile {
  readonly path: string;
  readonly content: object;
}

/**
 * The files that stand between bootstrap and certificate. By them Envoy reads the certificate again whenever the link in
 * its folder is replaced; one that is named in the bootstrap itself is read once.
 */
export function sdsFiles(folder: string): Record<keyof typeof sdsNames, EnvoyFile> {
  const { cert, key, ca } = certificatePaths(folder);
  const watched = { watched_directory: { path: folder } };
  const file = (part: keyof typeof sdsNames, secret: object): EnvoyFile => ({
    path: `${folder}/${sdsNames[part]}.yaml`,
    content: { resources: [{ '@type': envoyTypes.secret, name: sdsNames[part], ...secret }] },
  });
  return {
    certificate: file('certificate', {
      tls_certificate: { certificate_chain: { filename: cert }, private_key: { filename: key }, ...watched },
    }),
    roots: file('roots', { validation_context: { trusted_ca: { filename: ca }, ...watched } }),
  };
}
