import { isError } from '@chandlery/api';
import { type Client, createClient, loadKubeconfig } from '@chandlery/client';
import { type AccessRequest, accessRequests, shorten, systemNamespace } from '@chandlery/clusters/kinds';
import type { Logger } from '@chandlery/platform';
import { apply, createInformer } from '@chandlery/runtime';
import { ConnectionPool } from '@chandlery/sdk/access';
import { argoGroup } from '../../kinds/workflows/index.ts';
import type { ArgoCluster, ConnectArgo, ContainerRef, ReadLogOptions } from '../../order-ports.ts';

export interface ArgoAccessOptions {
  /** Of the platform cluster, where AccessRequests are. Not disposed of. */
  readonly platform: Client;
  readonly logger: Logger;
}

/** What orders do on the cluster of an Argo, and no more. */
const rules = [
  {
    apiGroups: [argoGroup],
    resources: ['workflows'],
    verbs: ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'],
  },
  { apiGroups: [''], resources: ['pods'], verbs: ['get', 'list', 'watch', 'delete'] },
  { apiGroups: [''], resources: ['pods/log'], verbs: ['get'] },
  { apiGroups: [''], resources: ['namespaces'], verbs: ['create'] },
];

const requestName = (cluster: string): string => shorten(`orders--${cluster}`);

/** Connections to clusters on which Argo runs, by AccessRequests; renewed credentials are followed. */
export class ArgoAccess implements AsyncDisposable {
  readonly #options: ArgoAccessOptions;
  readonly #pool: ConnectionPool;

  constructor(options: ArgoAccessOptions) {
    this.#options = options;
    this.#pool = new ConnectionPool(options);
  }

  readonly connect: ConnectArgo = async (cluster, signal): Promise<ArgoCluster> => {
    const { platform } = this.#options;
    const name = requestName(cluster);
    const object = accessRequests.object(
      { name, namespace: systemNamespace, labels: { 'app.kubernetes.io/managed-by': 'chandlery-orders' } },
      { clusterRef: { name: cluster, namespace: systemNamespace }, token: { permissions: [{ rules }] } },
    );
    await apply(platform, 'chandlery-orders', [{ plural: accessRequests.plural, object }], { signal });
    const secret = await granted(platform, name, signal);
    const connection = await this.#pool.connect(name, { namespace: systemNamespace, name: secret }, signal);
    return {
      client: connection.client,
      readLog: (container, options) => readPodLog(connection.kubeconfig, container, options),
    };
  };

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pool[Symbol.asyncDispose]();
  }
}

/** Returns the name of the Secret with the credentials, once there is one. */
async function granted(platform: Client, name: string, signal: AbortSignal): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  await using requests = createInformer<AccessRequest>({
    client: platform,
    ref: { ...accessRequests.ref, namespace: systemNamespace },
    fieldSelector: `metadata.name=${name}`,
  });
  const look = ({ metadata, status }: AccessRequest): void => {
    const { phase, secretRef, observedGeneration } = status ?? {};
    if (observedGeneration !== undefined && observedGeneration !== metadata.generation) return;
    if (phase === 'Granted' && secretRef !== undefined) resolve(secretRef.name);
  };
  requests.listen({ added: look, updated: look });
  const abort = (): void => reject(new Error(`AccessRequest ${systemNamespace}/${name} is not granted`));
  signal.addEventListener('abort', abort, { once: true });
  requests.start();
  try {
    return await promise;
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** Each log has a connection of its own, which ends with it: a follower may be silent for hours. */
async function readPodLog(
  kubeconfig: string,
  { namespace, pod, container }: ContainerRef,
  { isFollowed, signal }: ReadLogOptions,
): Promise<AsyncIterable<Uint8Array>> {
  const client = createClient(loadKubeconfig(kubeconfig));
  try {
    const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(pod)}/log`;
    const query = { container, timestamps: true, ...(isFollowed && { follow: true }) };
    const { body } = await client.raw(path, { query, isEndless: isFollowed, signal });
    return closing(body, client, signal);
  } catch (error) {
    await client[Symbol.asyncDispose]();
    throw error;
  }
}

/** A log that is cut ends where it was cut: what came before is worth keeping. */
async function* closing(
  body: AsyncIterable<Uint8Array>,
  client: AsyncDisposable,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (error) {
    if (!signal.aborted && !isError(error, 'ConnectionFailed', 'NotFound')) throw error;
  } finally {
    await client[Symbol.asyncDispose]();
  }
}
