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
  /** Whether a mesh has the cluster, as it is stored now. */
  readonly isMember: (cluster: string) => Promise<boolean>;
  /** Deletes a request, unless somebody has asked again since it was read: then rejects with `Conflict`. */
  readonly release: (request: AccessRequest) => Promise<void>;
}

/** Gives back the access to a cluster that is in no mesh any longer. */
export const releaseAccess: Step<AccessRequest, MemberAccessDeps> = async (request, deps): Promise<StepResult> => {
  const cluster = request.spec.clusterRef?.name;
  if (cluster === undefined || (await deps.isMember(cluster))) return 'continue';
  await deps.release(request);
  return 'stop';
};

export interface MemberAccessControllerOptions {
  /** Of the platform cluster. Not disposed of. */
  readonly client: Client;
  readonly logger: Logger;
  readonly metrics?: ControllerMetrics;
}

/** Starts to look after the requests of the mesh for access to clusters. Of several replicas one at a time does. */
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
      // Its status is that of whoever grants it.
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

/** Reads: a request is older than what is read now, so whoever it was made for is seen. */
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
