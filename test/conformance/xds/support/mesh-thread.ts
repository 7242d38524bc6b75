import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { tempFolder } from '@chandlery/testing';
import { writeCertificateFolder } from '../../../../domains/mesh/src/agent/certificate-folder.ts';
import { openTunnel } from '../../../../domains/mesh/src/agent/open-tunnel.ts';
import { serverListenerPrefix } from '../../../../domains/mesh/src/model/resource-names.ts';
import type { MeshLandscape } from './mesh-landscape.ts';

/** The task of a thread. */
export type ThreadTask = { readonly serve: string } | { readonly call: string; readonly times: number };

/** Number of responses by content; failures count by their code. */
export type Tally = Readonly<Record<string, number>>;

/** A thread with the gRPC library, connected to the mesh through a tunnel. */
export interface MeshThread extends AsyncDisposable {
  /** Serves on an address until the end, with the access rules of the mesh. */
  serve(address: string): Promise<void>;
  /** Calls a target a number of times. */
  call(target: string, times: number): Promise<Tally>;
}

export interface MeshThreadOptions {
  readonly account: string;
  /** Address of the control plane in its bootstrap. Default: a tunnel on a socket. */
  readonly xdsServer?: string;
}

/** Starts a thread as a workload of the mesh. The library reads its identity once per thread. */
export async function startMeshThread(mesh: MeshLandscape, options: MeshThreadOptions): Promise<MeshThread> {
  await using stack = new AsyncDisposableStack();
  const { account } = options;
  const folder = stack.use(await tempFolder('chandlery-thread-'));
  const certificate = await mesh.certificate({ account });
  writeCertificateFolder(folder.path, certificate);
  const listen = { path: folder.join('agent/xds.sock') };
  const target = { host: '127.0.0.1', port: mesh.landscape.xdsPort };
  stack.use(await openTunnel({ listen, target, readCertificate: () => certificate }));
  const { xdsServer = `unix://${listen.path}` } = options;
  const bootstrap = bootstrapOf(account, folder.path, xdsServer);
  const worker = new Worker(new URL('./mesh-thread-worker.ts', import.meta.url), {
    env: {
      ...process.env,
      GRPC_XDS_BOOTSTRAP_CONFIG: JSON.stringify(bootstrap),
      GRPC_XDS_EXPERIMENTAL_RBAC: 'true',
    },
  });
  stack.defer(async () => void (await worker.terminate()));
  const ask = async (task: ThreadTask): Promise<Tally> => {
    const answered = once(worker, 'message') as Promise<[Tally]>;
    worker.postMessage(task);
    return (await answered)[0];
  };
  const owned = stack.move();
  return {
    serve: async address => void (await ask({ serve: address })),
    call: (called, times) => ask({ call: called, times }),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

const bootstrapOf = (id: string, folder: string, xdsServer: string): object => ({
  xds_servers: [{ server_uri: xdsServer, channel_creds: [{ type: 'insecure' }] }],
  node: { id, locality: {} },
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
