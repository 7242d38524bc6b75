import { certificatePaths } from './bootstrap-wish.ts';

const url = (name: string): string => `type.googleapis.com/envoy.extensions.${name}`;

/** Type URLs of what a bootstrap packs. */
export const envoyTypes = {
  httpOptions: url('upstreams.http.v3.HttpProtocolOptions'),
  upstreamTls: url('transport_sockets.tls.v3.UpstreamTlsContext'),
  secret: url('transport_sockets.tls.v3.Secret'),
} as const;

/** What the bootstrap calls the secrets in {@link sdsFiles} that are for the control plane. */
export const sdsNames = { certificate: 'xds-certificate', roots: 'xds-roots' } as const;

/** What the control plane calls the secret with the workload's certificate, and the file in which it is. */
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
 * The files that stand between bootstrap and certificate. By them Envoy reads the certificate again whenever the link in
 * its folder is replaced; one that is named in the bootstrap itself is read once.
 */
export function sdsFiles(folder: string): Record<keyof typeof sdsNames, EnvoyFile> {
  const { cert, ca } = certificatePaths(folder);
  const file = (name: string, secret: object): EnvoyFile => secretFile(`${folder}/${name}.yaml`, name, secret);
  return {
    certificate: file(sdsNames.certificate, certificateOf(folder, cert)),
    roots: file(sdsNames.roots, { validation_context: { trusted_ca: { filename: ca }, ...watched(folder) } }),
  };
}

/** The file from which Envoy reads the certificate of its workload, for all listeners and clusters that it is told of. */
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
