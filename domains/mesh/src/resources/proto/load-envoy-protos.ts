import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import protobuf from 'protobufjs';

const files = [
  'envoy/service/discovery/v3/discovery.proto',
  'envoy/service/discovery/v3/ads.proto',
  'envoy/service/listener/v3/lds.proto',
  'envoy/service/route/v3/rds.proto',
  'envoy/service/cluster/v3/cds.proto',
  'envoy/service/endpoint/v3/eds.proto',
  'envoy/service/secret/v3/sds.proto',
  'envoy/service/load_stats/v3/lrs.proto',
  'envoy/service/status/v3/csds.proto',
  'envoy/config/cluster/v3/cluster.proto',
  'envoy/config/endpoint/v3/endpoint.proto',
  'envoy/config/listener/v3/listener.proto',
  'envoy/config/route/v3/route.proto',
  'envoy/config/rbac/v3/rbac.proto',
  'envoy/extensions/filters/http/rbac/v3/rbac.proto',
  'envoy/extensions/filters/http/router/v3/router.proto',
  'envoy/extensions/filters/listener/original_dst/v3/original_dst.proto',
  'envoy/extensions/filters/listener/tls_inspector/v3/tls_inspector.proto',
  'envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager.proto',
  'envoy/extensions/filters/network/rbac/v3/rbac.proto',
  'envoy/extensions/filters/network/tcp_proxy/v3/tcp_proxy.proto',
  'envoy/extensions/retry/host/previous_hosts/v3/previous_hosts.proto',
  'envoy/extensions/transport_sockets/tls/v3/tls.proto',
  'envoy/extensions/upstreams/http/v3/http_protocol_options.proto',
];

/** Provided by the package of the gRPC library, so that both use the same messages. */
const includeRoots = ['deps/envoy-api', 'deps/googleapis', 'deps/protoc-gen-validate', 'deps/xds'];

const require = createRequire(import.meta.url);
const packageFolder = (packageName: string): string => dirname(require.resolve(`${packageName}/package.json`));

/** Types that protobufjs bundles have this name and no file. */
const isBundled = (file: string): boolean => protobuf.common.get(file) !== null;

async function parse(): Promise<protobuf.Root> {
  const xdsPackage = packageFolder('@grpc/grpc-js-xds');
  const folders = [...includeRoots.map(root => join(xdsPackage, root)), packageFolder('protobufjs')];
  const root = new protobuf.Root();
  root.resolvePath = (_importer, file) =>
    isBundled(file) ? file : (folders.map(folder => join(folder, file)).find(path => existsSync(path)) ?? file);
  await root.load(files, { keepCase: true });
  root.resolveAll();
  return root;
}

let loading: Promise<protobuf.Root> | undefined;

/**
 * Loads Envoy's messages and services, with field names as in the `.proto` files. Cached per process: loading takes a
 * second.
 */
export function loadEnvoyProtos(): Promise<protobuf.Root> {
  loading ??= parse();
  return loading;
}
