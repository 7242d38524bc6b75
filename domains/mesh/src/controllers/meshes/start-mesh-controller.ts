import type { Client } from '@chandlery/client';
import type { Logger } from '@chandlery/platform';
import { type ControllerMetrics, createController, createInformer, withoutManagedFields } from '@chandlery/runtime';
import type { MeshWorld } from '../../directory/mesh-registry.ts';
import { type Mesh, meshes } from '../../kinds/mesh.ts';
import { type MeshReplica, meshReplicas } from '../../kinds/mesh-replica.ts';
import { type MeshNeeds, type MeshSight, reportMesh } from './report-mesh.ts';

export interface MeshControllerOptions {
  /** Of the platform cluster. Not disposed of. */
  readonly client: Client;
  readonly world: Pick<MeshWorld, 'mesh'>;
  /** How often a mesh is looked at. Default 10 000. */
  readonly lookEveryMs?: number;
  readonly logger: Logger;
  readonly metrics?: ControllerMetrics;
}

/** Starts to keep the status of declared meshes. Of several replicas one at a time does. */
export function startMeshController(options: MeshControllerOptions): AsyncDisposable {
  const { client, world, lookEveryMs = 10_000, logger, metrics } = options;
  const stack = new AsyncDisposableStack();
  const { ref } = meshes;
  const informer = stack.use(createInformer<Mesh>({ client, ref, transform: withoutManagedFields }));
  const needs: MeshNeeds = {
    lookAt: (tenant, signal) => lookAt(world, tenant, signal),
    countProxies: tenant => countProxies(client, tenant),
    patienceMs: 5_000,
    lookEveryMs,
  };
  const controller = stack.use(
    createController<Mesh, MeshNeeds>({
      name: 'meshes',
      client,
      for: { ref, informer },
      steps: [reportMesh],
      needs,
      logger,
      ...(metrics && { metrics }),
    }),
  );
  controller.start();
  return stack;
}

async function lookAt(world: Pick<MeshWorld, 'mesh'>, tenant: string, signal: AbortSignal): Promise<MeshSight> {
  const { catalogue } = await world.mesh(tenant, signal);
  const providers = catalogue.listEndpointsProviders();
  return {
    services: [...catalogue.services.listServices()].length,
    missingKinds: catalogue.topology.missingKinds,
    staleReasons: providers.flatMap(({ staleReason }) => staleReason ?? []).sort(),
  };
}

async function countProxies(client: Client, tenant: string): Promise<number> {
  const { items } = await client.list<MeshReplica>(meshReplicas.ref);
  const counts = items.flatMap(({ spec }) => spec.meshes ?? []).filter(({ name }) => name === tenant);
  return counts.reduce((sum, { proxies }) => sum + proxies, 0);
}
