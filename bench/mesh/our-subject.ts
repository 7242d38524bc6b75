import { ServiceCatalog } from '../../domains/mesh/src/catalog/service-catalog.ts';
import type { ProxyRegistry } from '../../domains/mesh/src/ports.ts';
import { createResourceCompiler } from '../../domains/mesh/src/resources/create-resource-compiler.ts';
import { loadEnvoyProtos } from '../../domains/mesh/src/resources/proto/load-envoy-protos.ts';
import { createLoadAggregate } from '../../domains/mesh/src/server/load-and-status/load-aggregate.ts';
import { openXdsServer } from '../../domains/mesh/src/server/xds-server.ts';
import {
  createDiscoveryStreams,
  type DiscoveryStreams,
  type OpenStream,
} from '../../domains/mesh/src/xds/discovery-streams.ts';
import { place } from './bench-mesh.ts';
import type { RequestCounter } from './request-counter.ts';
import type { SubjectDeps } from './subject.ts';

/** The control plane as it runs in production, with all its defaults, on a mesh in memory. Resolves with its port. */
export async function openOurs({ mesh, authority, counter }: SubjectDeps): Promise<number> {
  const catalog = new ServiceCatalog({
    tenant: place.tenant,
    clusters: [{ name: place.cluster, region: place.region }],
    topology: mesh.topology,
    services: mesh.services,
    providers: [mesh.endpoints],
    authority,
    compiler: createResourceCompiler(await loadEnvoyProtos()),
  });
  const registry: ProxyRegistry = {
    isReady: () => true,
    ready: () => Promise.resolve(),
    registerProxy: proxy => catalog.registerProxy(proxy),
  };
  const loadReports = createLoadAggregate({ clock: { now: () => new Date() } });
  const streams = counting(createDiscoveryStreams(), counter);
  const server = await openXdsServer({ host: '127.0.0.1', port: 0, registry, authority, streams, loadReports });
  return server.port;
}

/** Counts each request after it was handled. */
function counting(streams: DiscoveryStreams, counter: RequestCounter): DiscoveryStreams {
  const counted = (stream: OpenStream): OpenStream => ({
    onRequest: request => {
      stream.onRequest(request);
      counter.note();
    },
    close: () => stream.close(),
  });
  return {
    open: request => counted(streams.open(request)),
    status: () => streams.status(),
    get count() {
      return streams.count;
    },
    [Symbol.dispose]: () => streams[Symbol.dispose](),
  };
}
