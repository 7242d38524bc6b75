import { Server, ServerCredentials, type ServerDuplexStream } from '@grpc/grpc-js';
import type { ResourceType } from '../../../../domains/mesh/src/model/resource.ts';
import { resourceTypes, typeUrls } from '../../../../domains/mesh/src/model/resource.ts';
import { otherMethods } from '../../../../domains/mesh/src/server/discovery/discovery-methods.ts';
import type { MeshLandscape } from './mesh-landscape.ts';

interface Packed {
  readonly type_url: string;
  readonly value: Uint8Array;
}

/** A discovery server for a client that uses only clusters and endpoints of the mesh. */
export interface EndpointsOnly extends Disposable {
  readonly port: number;
}

/**
 * A proxy between the mesh and a client with routes of its own: all calls of `name` go to one cluster. The cluster and
 * its endpoints are forwarded as the mesh sent them.
 */
export async function serveEndpointsOnly(
  mesh: MeshLandscape,
  { account, name, cluster }: { readonly account: string; readonly name: string; readonly cluster: string },
): Promise<EndpointsOnly> {
  await using proxy = await mesh.proxy({ account, dialect: 'grpc', nodeId: 'endpoints-only' });
  const handOn = async (type: ResourceType): Promise<Packed[]> => {
    proxy.ask(type, [cluster]);
    return (await proxy.accept(type)).resources.map(({ typeUrl, value }) => ({ type_url: typeUrl, value }));
  };
  const resources: Partial<Record<ResourceType, Packed[]>> = {
    listener: [ownListener(mesh, name, cluster)],
    cluster: await handOn('cluster'),
    endpoints: await handOn('endpoints'),
  };
  return await serve(mesh, resources);
}

function ownListener({ root }: MeshLandscape, name: string, cluster: string): Packed {
  const pack = (type: string, fields: object): Packed => ({
    type_url: `type.googleapis.com/${type}`,
    value: root.lookupType(type).encode(root.lookupType(type).fromObject(fields)).finish(),
  });
  const filters = 'envoy.extensions.filters';
  const router = pack(`${filters}.http.router.v3.Router`, {});
  const manager = pack(`${filters}.network.http_connection_manager.v3.HttpConnectionManager`, {
    stat_prefix: name,
    route_config: {
      name,
      virtual_hosts: [{ name, domains: ['*'], routes: [{ match: { prefix: '' }, route: { cluster } }] }],
    },
    http_filters: [{ name: 'router', typed_config: router }],
  });
  return pack('envoy.config.listener.v3.Listener', { name, api_listener: { api_listener: manager } });
}

async function serve(
  { root }: MeshLandscape,
  resources: Partial<Record<ResourceType, Packed[]>>,
): Promise<EndpointsOnly> {
  const request = root.lookupType('envoy.service.discovery.v3.DiscoveryRequest');
  const response = root.lookupType('envoy.service.discovery.v3.DiscoveryResponse');
  const server = new Server();
  const answer = (call: ServerDuplexStream<Record<string, string>, object>): void => {
    call.on('data', ({ type_url = '', response_nonce = '' }: Record<string, string>) => {
      const type = resourceTypes.find(each => typeUrls[each] === type_url);
      const known = type && resources[type];
      if (known && response_nonce === '') call.write({ version_info: '1', nonce: '1', type_url, resources: known });
    });
    call.on('end', () => call.end());
  };
  const method = {
    path: otherMethods.aggregated,
    requestStream: true,
    responseStream: true,
    requestSerialize: (): Buffer => Buffer.alloc(0),
    requestDeserialize: (bytes: Buffer) => request.toObject(request.decode(bytes)),
    responseSerialize: (fields: object): Buffer => Buffer.from(response.encode(fields).finish()),
    responseDeserialize: (bytes: Buffer): Buffer => bytes,
  } as const;
  server.addService({ ads: method }, { ads: answer });
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    );
  });
  return { port, [Symbol.dispose]: () => server.forceShutdown() };
}
