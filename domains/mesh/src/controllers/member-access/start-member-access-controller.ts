import { isError } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import { type AccessRequest, accessRequests, systemNamespace } from '@chandlery/clusters/kinds';
import type { Logger } from '@chandlery/platform';
import {
  type ControllerMetrics,
  createController,
  createInformer,
  type Step,
  type StepResult,
  withoutManagedFields,
} from '@chandlery/runtime';
import { type Mesh, meshes } from '../../kinds/mesh.ts';
import { memberAccessName, memberAccessSelector } from '../../members/member-access.ts';

export interface MemberAccessDeps {
  /** Whether a stored mesh has the cluster. */
  readonly isMember: (cluster: string) => Promise<boolean>;
  /** Deletes an AccessRequest. Rejects with `Conflict` if it was renewed since it was read. */
  readonly release: (request: AccessRequest) => Promise<void>;
}

/** Deletes the AccessRequest for a cluster that is in no mesh any longer. */
export const releaseAccess: Step<AccessRequest, MemberAccessDeps> = async (request, deps): Promise<StepResult> => {
  const cluster = request.spec.clusterRef?.name;
  if (cluster === undefined || (await deps.isMember(cluster))) return 'continue';
  await deps.release(request);
  return 'stop';
};

export interface MemberAccessControllerOptions {
  /** Client of the platform cluster. Not disposed of. */
  readonly client: Client;
  readonly logger: Logger;
  readonly metrics?: ControllerMetrics;
}

/** Starts the controller of the mesh's AccessRequests. Only one replica at a time runs it. */
export function startMemberAccessController({
  client,
  logger,
  metrics,
}: MemberAccessControllerOptions): AsyncDisposable {
  const stack = new AsyncDisposableStack();
  const { ref } = accessRequests;
  const transform = withoutManagedFields;
  const requests = stack.use(
    createInformer<AccessRequest>({ client, ref, labelSelector: memberAccessSelector, transform }),
  );
  const declared = stack.use(createInformer<Mesh>({ client, ref: meshes.ref, transform }));
  const controller = stack.use(
    createController<AccessRequest, MemberAccessDeps>({
      name: 'mesh-access',
      client,
      for: { ref, informer: requests },
      watches: [{ informer: declared, mapToKeys: mesh => requestsOf(mesh as Mesh) }],
      steps: [releaseAccess],
      needs: { isMember: cluster => isMember(client, cluster), release: request => release(client, request) },
      // The status belongs to the controller that grants access.
      syncedCondition: false,
      hasObservedGeneration: false,
      logger,
      ...(metrics && { metrics }),
    }),
  );
  controller.start();
  return stack;
}

const requestsOf = ({ spec }: Mesh): string[] =>
  spec.clusters.map(({ name }) => `${systemNamespace}/${memberAccessName(name)}`);

/** Reads from the store instead of a cache: a mesh that created the request before is then visible. */
async function isMember(client: Client, cluster: string): Promise<boolean> {
  const { items } = await client.list<Mesh>(meshes.ref);
  return items.some(({ spec }) => spec.clusters.some(({ name }) => name === cluster));
}

async function release(client: Client, { metadata }: AccessRequest): Promise<void> {
  const { name = '', namespace, uid, resourceVersion } = metadata;
  const preconditions = { ...(uid && { uid }), ...(resourceVersion && { resourceVersion }) };
  try {
    await client.delete({ ...accessRequests.ref, ...(namespace && { namespace }), name }, { preconditions });
  } catch (error) {
    if (!isError(error, 'NotFound')) throw error;
  }
}
