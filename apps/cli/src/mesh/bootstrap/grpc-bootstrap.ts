import { formatTunnel } from '../addresses.ts';
import { type BootstrapOptions, certificatePaths, nodeOf } from './bootstrap-options.ts';

/** Reload interval of files: a new certificate, and above all a new root, must be applied soon. */
const refreshInterval = '10s';

/**
 * The bootstrap of a gRPC library, for `GRPC_XDS_BOOTSTRAP`. It reaches the control plane through the agent, because
 * not every library supports client certificates there.
 */
export function grpcBootstrap(options: BootstrapOptions, serverListenerPrefix: string): object {
  const { cert, key, ca } = certificatePaths(options.folder);
  return {
    xds_servers: [
      {
        server_uri: formatTunnel(options.tunnel),
        channel_creds: [{ type: 'insecure' }],
        server_features: ['xds_v3'],
      },
    ],
    node: nodeOf(options, 'grpc'),
    certificate_providers: {
      default: {
        plugin_name: 'file_watcher',
        config: {
          certificate_file: cert,
          private_key_file: key,
          ca_certificate_file: ca,
          refresh_interval: refreshInterval,
        },
      },
    },
    server_listener_resource_name_template: `${serverListenerPrefix}%s`,
  };
}
