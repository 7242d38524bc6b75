import type { ProxyView } from '../ports.ts';
import { loadEnvoyProtos } from '../resources/proto/load-envoy-protos.ts';
import { anyToJson } from '../resources/proto/proto-json.ts';
import type { StreamStatus } from '../xds/stream-status.ts';

/** Returns the configuration that was sent to a proxy as JSON. Secrets are shown by name and version only. */
export async function dumpConfig(stream: StreamStatus, view: ProxyView | undefined): Promise<object> {
  const root = await loadEnvoyProtos();
  const shown = stream.types.map(({ type }) => {
    const sent = stream.resources(type).map(({ name, version }) => {
      const resource = type === 'secret' ? undefined : view?.get(type, name);
      return {
        name,
        version,
        ...(resource?.version === version && resource && { content: anyToJson(resource.any, root) }),
      };
    });
    return [type, sent];
  });
  return Object.fromEntries(shown) as object;
}
