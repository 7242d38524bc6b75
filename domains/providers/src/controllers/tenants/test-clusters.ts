import type { KubeObject } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import {
  type AccessRequest,
  accessRequests,
  type Cluster,
  type ClusterRequest,
  clusterRequests,
  clusters,
} from '@chandlery/clusters/kinds';
import {
  apply,
  createController,
  SharedInformers,
  type StepResult,
  setCondition,
  setController,
} from '@chandlery/runtime';

/** A kind of request that the script can delay. */
type Held = 'clusterrequests' | 'accessrequests';

const pause = { retryAfterMs: 5 };
const clusterNamespace = 'default';

/** Grants clusters and access at once, and removes them; tests can delay both. */
export class ScriptedClusters implements AsyncDisposable {
  readonly #stack = new AsyncDisposableStack();
  readonly #client: Client;
  readonly #heldGrants = new Set<Held>();
  readonly #heldDeletions = new Set<Held>();

  constructor(client: Client) {
    this.#client = client;
    const informers = this.#stack.use(new SharedInformers());
    const start = <T extends KubeObject>(
      { ref, plural }: { ref: typeof clusters.ref; plural: string },
      grant: (request: T, now: Date) => Promise<void>,
    ): void => {
      const held = plural as Held;
      const controller = createController<T, undefined>({
        name: `test-${plural}`,
        client,
        for: { ref, informer: informers.informer<T>({ client, ref }) },
        finalizer: 'test.example.com/request',
        steps: [
          async (request, _, { now }): Promise<StepResult> => {
            if (this.#heldGrants.has(held)) return pause;
            await grant(request, now);
            return 'continue';
          },
        ],
        onDelete: [() => (this.#heldDeletions.has(held) ? pause : 'continue')],
        needs: undefined,
      });
      controller.start();
      this.#stack.use(controller);
    };
    start<ClusterRequest>(clusterRequests, (request, now) => this.#grantCluster(request, now));
    start<AccessRequest>(accessRequests, request => this.#grantAccess(request));
  }

  /** No more requests are granted until the result is called. */
  holdGrants(held: Held): () => void {
    this.#heldGrants.add(held);
    return () => void this.#heldGrants.delete(held);
  }

  /** Deleted requests stay until the result is called. */
  holdDeletions(held: Held): () => void {
    this.#heldDeletions.add(held);
    return () => void this.#heldDeletions.delete(held);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#stack.disposeAsync();
  }

  async #grantCluster(request: ClusterRequest, now: Date): Promise<void> {
    const name = request.status?.cluster?.name ?? `${request.metadata.namespace}`;
    const at = { ...clusters.ref, namespace: clusterNamespace, name };
    const { purpose } = request.spec;
    const wanted = clusters.object(
      { name, namespace: clusterNamespace },
      { profile: 'test', purposes: [purpose], tenancy: 'Exclusive' },
    );
    if (request.status?.phase !== 'Granted') {
      const [cluster] = (await apply(this.#client, 'test', [{ plural: clusters.plural, object: wanted }])) as [Cluster];
      cluster.status = { endpoints: [{ name: 'apiserver-external', url: `https://${name}` }] };
      setCondition(cluster, { type: 'Ready', status: 'True', reason: 'ClusterReady' }, now);
      await this.#client.update({ ...at, subresource: 'status' }, cluster);
    }
    request.status = { ...request.status, phase: 'Granted', cluster: { name, namespace: clusterNamespace } };
  }

  async #grantAccess(request: AccessRequest): Promise<void> {
    const { name = '', namespace = '' } = request.metadata;
    const secret: KubeObject = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: `${name}.kubeconfig`, namespace },
      data: { kubeconfig: Buffer.from(`access ${name}`).toString('base64') },
    };
    setController(secret, request);
    if (request.status?.phase !== 'Granted') await apply(this.#client, 'test', [{ plural: 'secrets', object: secret }]);
    request.status = { ...request.status, phase: 'Granted', secretRef: { name: `${name}.kubeconfig` } };
  }
}
