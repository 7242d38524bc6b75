import { offer } from './declare-service.ts';
import type { MeshLandscape } from './mesh-landscape.ts';
import type { TestProxy } from './test-proxy.ts';

/** Endpoints by the last byte of their address. */
export const ips = (...last: readonly number[]) => last.map(each => ({ ip: `10.0.0.${each}` }));

/** The same in encoded form. */
export const at = (...last: readonly number[]): string[] => last.map(each => `10.0.0.${each}:8080`);

/** The default port with the same endpoints, but another protocol. */
export const tcp = [{ name: 'http', port: 80, targetPort: 8080, appProtocol: 'tcp' }];

/** A proxy that subscribes to the endpoints of a service of its own. */
export async function toldEndpoints(
  mesh: MeshLandscape,
  no: number,
): Promise<{ proxy: TestProxy; service: string; name: string; account: string }> {
  const [service, account] = [`books-${no}`, `web-${no}`];
  const name = await offer(mesh, { name: service, from: [account], endpoints: ips(1) });
  const proxy = await mesh.proxy({ account });
  proxy.ask('endpoints', [name]);
  return { proxy, service, name, account };
}
