import type protobuf from 'protobufjs';
import type { Endpoint } from '../../domains/mesh/src/model/endpoint.ts';
import { typeUrls } from '../../domains/mesh/src/model/resource.ts';
import { parseClusterName } from '../../domains/mesh/src/model/resource-names.ts';
import { parseServiceKey } from '../../domains/mesh/src/model/service-name.ts';
import { loadEnvoyProtos } from '../../domains/mesh/src/resources/proto/load-envoy-protos.ts';
import { type BenchMesh, clusterOf } from './bench-mesh.ts';
import { openPlainServer, type PlainCall } from './plain-server.ts';
import type { SubjectDeps } from './subject.ts';

/** A request as decoded by protobufjs. */
interface ReadRequest {
  readonly resource_names: readonly string[];
  readonly response_nonce: string;
}

/**
 * A simple control plane: whenever a service changes, the response is created and encoded for each subscribed stream,
 * without debouncing. Resolves with its port.
 */
export const openNaive = (deps: SubjectDeps): Promise<number> => open(deps, { encodesOnce: false });

/** Like {@link openNaive}, with the same bytes for all streams: only the cost of the transport is left. */
export const openShouting = (deps: SubjectDeps): Promise<number> => open(deps, { encodesOnce: true });

interface Manner {
  readonly encodesOnce: boolean;
}

async function open({ mesh, authority, counter }: SubjectDeps, { encodesOnce }: Manner): Promise<number> {
  const encoder = new ResponseEncoder(await loadEnvoyProtos(), mesh);
  const subscribers = new Map<string, Set<PlainCall>>();
  let nonce = 0;
  mesh.endpoints.subscribe(changed => {
    for (const key of changed) {
      const name = clusterOf(parseServiceKey(key)?.name ?? '');
      const shared = encoder.encode([name], ++nonce);
      for (const call of subscribers.get(name) ?? [])
        call.write(encodesOnce ? shared : encoder.encode([name], ++nonce));
    }
  });
  const initial = firstResponses(encoder);
  return openPlainServer(authority, call => {
    call.on('data', (message: Buffer) => {
      const { resource_names: names, response_nonce: answered } = encoder.decode(message);
      if (answered === '') call.write(initial(names));
      for (const name of names) subscribers.set(name, (subscribers.get(name) ?? new Set()).add(call));
      counter.note();
    });
    call.on('error', () => undefined);
    call.on('end', () => call.end());
  });
}

/** Only changes are measured: the first response is shared, so that connecting does not take minutes. */
function firstResponses(encoder: ResponseEncoder): (names: readonly string[]) => Buffer {
  const known = new Map<string, Buffer>();
  return names => {
    const key = names.join();
    const answer = known.get(key) ?? encoder.encode(names, 0);
    known.set(key, answer);
    return answer;
  };
}

class ResponseEncoder {
  readonly #mesh: BenchMesh;
  readonly #assignment: protobuf.Type;
  readonly #response: protobuf.Type;
  readonly #request: protobuf.Type;

  constructor(root: protobuf.Root, mesh: BenchMesh) {
    this.#mesh = mesh;
    this.#assignment = root.lookupType('envoy.config.endpoint.v3.ClusterLoadAssignment');
    this.#response = root.lookupType('envoy.service.discovery.v3.DiscoveryResponse');
    this.#request = root.lookupType('envoy.service.discovery.v3.DiscoveryRequest');
  }

  decode(message: Buffer): ReadRequest {
    return this.#request.decode(message) as unknown as ReadRequest;
  }

  encode(names: readonly string[], nonce: number): Buffer {
    const type_url = typeUrls.endpoints;
    const resources = names.map(name => ({ type_url, value: this.#encodeAssignment(name) }));
    const response = { version_info: String(nonce), resources, type_url, nonce: `nonce ${nonce}` };
    return Buffer.from(this.#response.encode(response).finish());
  }

  /** Plain objects are encoded directly, which is the fastest way of the library. */
  #encodeAssignment(cluster_name: string): Uint8Array {
    const service = parseClusterName(cluster_name)?.service ?? { namespace: '', name: '' };
    const zones = Map.groupBy(this.#mesh.endpoints.listEndpointsForService(service), ({ zone = '' }) => zone);
    const endpoints = Array.from(zones, ([zone, members]) => ({
      locality: { region: members[0]?.region ?? '', zone },
      load_balancing_weight: { value: members.length },
      lb_endpoints: members.map(lbEndpoint),
    }));
    return this.#assignment.encode({ cluster_name, endpoints }).finish();
  }
}

const lbEndpoint = ({ ip: address, port: port_value }: Endpoint): object => ({
  endpoint: { address: { socket_address: { address, port_value } } },
  health_status: 1,
});
