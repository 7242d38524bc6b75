import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from '@chandlery/client';
import { readCertificateFolder } from '../../../../domains/mesh/src/agent/certificate-folder.ts';
import { manageCertificate, type SignedRequest } from '../../../../domains/mesh/src/agent/manage-certificate.ts';
import { openTunnel } from '../../../../domains/mesh/src/agent/open-tunnel.ts';
import { serverListenerPrefix } from '../../../../domains/mesh/src/model/resource-names.ts';

/** The environment variables of a workload. */
const variables = [
  /** The landscape. */
  'MESH_URL',
  'MESH_XDS_PORT',
  /** The cluster that the workload runs on. */
  'MESH_CLUSTER',
  'MESH_ACCOUNT',
  /** Holds `token`, `ca.crt` and `namespace` of the service account. */
  'MESH_ACCOUNT_FOLDER',
  'MESH_NODE_ID',
] as const;

export type MeshEnvironment = Readonly<Record<(typeof variables)[number], string>>;

/** The environment of this process. */
export const meshEnvironment = (): MeshEnvironment =>
  Object.fromEntries(
    variables.map(name => [name, process.env[name] ?? fail(`${name} is not set`)]),
  ) as unknown as MeshEnvironment;

/**
 * Makes this process a workload of the mesh, as an agent would: a certificate for its service account, renewed in a
 * folder, and a tunnel to the control plane. The gRPC library of the process finds both in its bootstrap.
 */
export async function joinMesh(env: MeshEnvironment, folder: string): Promise<void> {
  await manageCertificate({ folder, requestCertificate: csr => requestCertificate(env, csr) });
  const tunnel = await openTunnel({
    listen: { host: '127.0.0.1', port: 0 },
    target: { host: '127.0.0.1', port: Number(env.MESH_XDS_PORT), name: 'localhost' },
    readCertificate: () => readCertificateFolder(folder) ?? fail(`there is no certificate in ${folder}`),
  });
  process.env['GRPC_XDS_BOOTSTRAP_CONFIG'] = JSON.stringify(bootstrapOf(env, folder, tunnel.port));
}

async function requestCertificate(env: MeshEnvironment, csr: string): Promise<SignedRequest> {
  const { MESH_URL, MESH_CLUSTER, MESH_ACCOUNT, MESH_ACCOUNT_FOLDER } = env;
  const read = (name: string): string => readFileSync(join(MESH_ACCOUNT_FOLDER, name), 'utf8').trim();
  await using client = createClient({ server: MESH_URL, caPem: read('ca.crt'), token: read('token') });
  const account = `namespaces/${read('namespace')}/serviceaccounts/${MESH_ACCOUNT}`;
  const answer = await client.raw(`/mesh/v1/clusters/${MESH_CLUSTER}/${account}/certificates`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ csr }),
  });
  const { certificate, trustBundle } = (await answer.json()) as { certificate: string; trustBundle: string };
  return { chain: certificate, trustBundle };
}

const bootstrapOf = ({ MESH_NODE_ID, MESH_CLUSTER }: MeshEnvironment, folder: string, port: number): object => ({
  xds_servers: [{ server_uri: `127.0.0.1:${port}`, channel_creds: [{ type: 'insecure' }] }],
  node: { id: MESH_NODE_ID, locality: {}, metadata: { cluster: MESH_CLUSTER } },
  server_listener_resource_name_template: `${serverListenerPrefix}%s`,
  certificate_providers: {
    default: {
      plugin_name: 'file_watcher',
      config: {
        certificate_file: join(folder, 'cert.pem'),
        private_key_file: join(folder, 'key.pem'),
        ca_certificate_file: join(folder, 'ca.pem'),
        refresh_interval: '60s',
      },
    },
  },
});

function fail(message: string): never {
  throw new Error(message);
}
