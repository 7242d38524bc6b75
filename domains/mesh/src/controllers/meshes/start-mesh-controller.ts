import type { Client } from '@chandlery/client';
import type { Logger } from '@chandlery/platform';
import { type ControllerMetrics, createController, createInformer, withoutManagedFields } from '@chandlery/runtime';
import type { MeshRegistry } from '../../directory/mesh-registry.ts';
import { type Mesh, meshes } from '../../kinds/mesh.ts';
import { type MeshReplica, meshReplicas } from '../../kinds/mesh-replica.ts';
import { type MeshDeps, type MeshObservation, reportMesh } from './report-mesh.ts';

export interface MeshControllerOptions {
  /** Client of the platform cluster. Not disposed of. */
  readonly client: Client;
  readonly registry: Pick<MeshRegistry, 'mesh'>;
  /** Interval of status updates. Default 10 000. */
  readonly checkIntervalMs?: number;
  readonly logger: Logger;
  readonly metrics?: ControllerMetrics;
}

/** Starts the controller that maintains the status of declared meshes. Only one replica at a time runs it. */
export function startMeshController(options: MeshControllerOptions): AsyncDisposable {
  const { client, registry, checkIntervalMs = 10_000, logger, metrics } = options;
  const stack = new AsyncDisposableStack();
  const { ref } = meshes;
  const informer = stack.use(createInformer<Mesh>({ client, ref, transform: withoutManagedFields }));
  const deps: MeshDeps = {
    observe: (tenant, signal) => observe(registry, tenant, signal),
    countProxies: tenant => countProxies(client, tenant),
    timeoutMs: 5_000,
    checkIntervalMs,
  };
  const controller = stack.use(
    createController<Mesh, MeshDeps>({
      name: 'meshes',
      client,
      for: { ref, informer },
      steps: [reportMesh],
      needs: deps,
      logger,
      ...(metrics && { metrics }),
    }),
  );
  controller.start();
  return stack;
}

async function observe(
  registry: Pick<MeshRegistry, 'mesh'>,
  tenant: string,
  signal: AbortSignal,
): Promise<MeshObservation> {
  const { catalog } = await registry.mesh(tenant, signal);
  const providers = catalog.listEndpointsProviders();
  return {
    services: [...catalog.services.listServices()].length,
    missingKinds: catalog.topology.missingKinds,
    staleReasons: providers.flatMap(({ staleReason }) => staleReason ?? []).sort(),
  };
}

async function countProxies(client: Client, tenant: string): Promise<number> {
  const { items } = await client.list<MeshReplica>(meshReplicas.ref);
  const counts = items.flatMap(({ spec }) => spec.meshes ?? []).filter(({ name }) => name === tenant);
  return counts.reduce((sum, { proxies }) => sum + proxies, 0);
}
