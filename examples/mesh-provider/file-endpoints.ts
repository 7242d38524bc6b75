import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  createPolledEndpoints,
  type Endpoint,
  type EndpointsProvider,
  type EndpointsProviderFactory,
} from '@chandlery/mesh';

/** A host of the inventory, and what it serves. */
interface Host {
  readonly ip: string;
  readonly port: number;
  /** Name of the port in the Service. Default: the only, unnamed one. */
  readonly portName?: string;
  readonly zone?: string;
  readonly state?: 'up' | 'draining' | 'down';
}

/** The file: hosts and their service account by `namespace/service`. */
type Inventory = Readonly<
  Record<string, { readonly cluster: string; readonly serviceAccount: string; readonly hosts: readonly Host[] }>
>;

const healthOf = { up: 'healthy', draining: 'draining', down: 'unhealthy' } as const;

const endpointOf = (host: Host, cluster: string, serviceAccount: string): Endpoint => ({
  ip: host.ip,
  port: host.port,
  portName: host.portName ?? '',
  health: healthOf[host.state ?? 'up'],
  cluster,
  serviceAccount,
  source: `inventory ${host.ip}`,
  ...(host.zone === undefined ? {} : { zone: host.zone }),
});

/** Polls endpoints from an inventory file; while it cannot be read, the last ones are kept. */
export function createFileEndpoints(path: string, { intervalMs = 5000 } = {}): EndpointsProvider {
  return createPolledEndpoints({
    id: `file/${path}`,
    intervalMs,
    read: async signal => {
      const inventory = JSON.parse(await readFile(path, { encoding: 'utf8', signal })) as Inventory;
      return new Map(
        Object.entries(inventory).map(([service, { cluster, serviceAccount, hosts }]) => [
          service,
          hosts.map(host => endpointOf(host, cluster, serviceAccount)),
        ]),
      );
    },
  });
}

/**
 * Registers the inventories of meshes, `<folder>/<mesh>.json`. A mesh without a file when it is opened has no such
 * provider.
 */
export const fileEndpoints = (
  folder: string,
  options?: { readonly intervalMs?: number },
): EndpointsProviderFactory => ({
  name: 'file',
  open: ({ mesh }) => {
    const path = join(folder, `${mesh}.json`);
    return { providers: existsSync(path) ? [createFileEndpoints(path, options)] : [] };
  },
});
