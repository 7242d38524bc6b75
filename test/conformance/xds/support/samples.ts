import { offer } from './declare-service.ts';
import type { MeshLandscape } from './mesh-landscape.ts';
import type { TestProxy } from './test-proxy.ts';

/** Endpoints by the last part of their address. */
export const ips = (...last: readonly number[]) => last.map(each => ({ ip: `10.0.0.${each}` }));

/** The same as they are sent. */
export const at = (...last: readonly number[]): string[] => last.map(each => `10.0.0.${each}:8080`);

/** The usual port, and so the same endpoints, but another way to speak to it. */
export const tcp = [{ name: 'http', port: 80, targetPort: 8080, appProtocol: 'tcp' }];

/** A proxy that asks for the endpoints of a service of its own. */
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
