import { certificatePaths } from './bootstrap-options.ts';

const url = (name: string): string => `type.googleapis.com/envoy.extensions.${name}`;

/** Type URLs of packed messages. */
export const envoyTypes = {
  httpOptions: url('upstreams.http.v3.HttpProtocolOptions'),
  upstreamTls: url('transport_sockets.tls.v3.UpstreamTlsContext'),
  secret: url('transport_sockets.tls.v3.Secret'),
} as const;

/** Names of the secrets in {@link sdsFiles} for the control plane. */
export const sdsNames = { certificate: 'xds-certificate', roots: 'xds-roots' } as const;

/** The name of the secret with the workload's certificate, and its file. */
export interface WorkloadSecretName {
  readonly name: string;
  readonly file: string;
}

/** A file of an Envoy. */
export interface EnvoyFile {
  readonly path: string;
  readonly content: object;
}

/**
 * SDS files between bootstrap and certificate. By them Envoy reloads the certificate whenever the link in its folder is
 * replaced; a certificate in the bootstrap itself would be read once.
 */
export function sdsFiles(folder: string): Record<keyof typeof sdsNames, EnvoyFile> {
  const { cert, ca } = certificatePaths(folder);
  const file = (name: string, secret: object): EnvoyFile => secretFile(`${folder}/${name}.yaml`, name, secret);
  return {
    certificate: file(sdsNames.certificate, certificateOf(folder, cert)),
    roots: file(sdsNames.roots, { validation_context: { trusted_ca: { filename: ca }, ...watched(folder) } }),
  };
}

/** The file from which Envoy reads the certificate of its workload, for all listeners and clusters. */
export const workloadFile = (folder: string, { name, file }: WorkloadSecretName): EnvoyFile =>
  secretFile(`${folder}/${file}`, name, certificateOf(folder, certificatePaths(folder).workload));

const watched = (folder: string): object => ({ watched_directory: { path: folder } });

const certificateOf = (folder: string, chain: string): object => ({
  tls_certificate: {
    certificate_chain: { filename: chain },
    private_key: { filename: certificatePaths(folder).key },
    ...watched(folder),
  },
});

const secretFile = (path: string, name: string, secret: object): EnvoyFile => ({
  path,
  content: { resources: [{ '@type': envoyTypes.secret, name, ...secret }] },
});
