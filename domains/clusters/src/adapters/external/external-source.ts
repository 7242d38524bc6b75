import { type ChandleryError, isError, toError } from '@chandlery/api';
import type { Client, HttpClient } from '@chandlery/client';
import { clusterNotReady } from '../../errors.ts';
import type { Cluster } from '../../kinds/cluster.ts';
import { clusterNames } from '../../kinds/names.ts';
import type { ClusterAddress, ClusterSource, SourceState } from '../../ports.ts';
import { ChangeListeners } from '../change-listeners.ts';
import { clusterKey } from '../logical/logical-cluster.ts';
import { ExternalLink, type Link } from './external-link.ts';
import { readNodes } from './read-nodes.ts';

export interface ExternalSourceOptions {
  /** The cluster with the Secrets. */
  readonly platform: Client;
  /** The interval of checks of a reachable cluster. Default 60,000. */
  readonly checkMs?: number;
  /** The interval of checks of an unreachable cluster. Default 10,000. */
  readonly retryMs?: number;
}

/** Clusters that are run elsewhere, by a kubeconfig in a Secret. Nothing on them is created or removed. */
export const createExternalSource = (options: ExternalSourceOptions): ClusterSource => new ExternalSource(options);

class ExternalSource implements ClusterSource {
  readonly name = 'external';
  readonly #platform: Client;
  readonly #checkMs: number;
  readonly #retryMs: number;
  readonly #links = new Map<string, ExternalLink>();
  readonly #listeners = new ChangeListeners();

  constructor({ platform, checkMs = 60_000, retryMs = 10_000 }: ExternalSourceOptions) {
    this.#platform = platform;
    this.#checkMs = checkMs;
    this.#retryMs = retryMs;
  }

  readonly onChange = this.#listeners.add;

  async ensure(cluster: Cluster, signal: AbortSignal): Promise<SourceState> {
    const name = secretNameOf(cluster);
    if (name === undefined) return notReady('NoKubeconfig', nameMissing);
    const link = await (await this.#linkOf(cluster, name)).current(signal);
    switch (link.type) {
      case 'missing':
        return notReady('SecretMissing', `There is no ${placeOf(cluster, name)}; create it with the key "kubeconfig".`);
      case 'broken':
        return notReady('InvalidKubeconfig', sentence(link.error));
      case 'open':
        return this.#probe(link, signal);
    }
  }

  /** The content of the cluster stays: it is not ours. */
  async remove(cluster: Cluster): Promise<boolean> {
    await this.#forget(clusterKey(cluster));
    return true;
  }

  async connect(cluster: Cluster): Promise<Client> {
    return (await this.#open(cluster)).client;
  }

  async address(cluster: Cluster): Promise<ClusterAddress> {
    const { server, caPem, tlsServerName, isInsecure } = (await this.#open(cluster)).connection;
    return {
      server,
      caPem,
      ...(tlsServerName === undefined ? {} : { tlsServerName }),
      ...(isInsecure === undefined ? {} : { isInsecure }),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#links.keys()].map(key => this.#forget(key)));
  }

  async #open(cluster: Cluster): Promise<Extract<Link, { type: 'open' }>> {
    const key = clusterKey(cluster);
    const name = secretNameOf(cluster);
    if (name === undefined) throw clusterNotReady(key, 'it names no Secret with a kubeconfig');
    const link = await (await this.#linkOf(cluster, name)).current();
    if (link.type === 'open') return link;
    throw clusterNotReady(key, link.type === 'broken' ? link.error.message : `there is no ${placeOf(cluster, name)}`);
  }

  /** The link to the cluster; a new one when another Secret is named. */
  async #linkOf(cluster: Cluster, name: string): Promise<ExternalLink> {
    const key = clusterKey(cluster);
    const known = this.#links.get(key);
    if (known?.secretName === name) return known;
    const namespace = cluster.metadata.namespace ?? '';
    const changed = (): void => this.#listeners.notify(key);
    const link = new ExternalLink({ platform: this.#platform, namespace, name, changed });
    this.#links.set(key, link);
    await known?.[Symbol.asyncDispose]();
    return link;
  }

  async #forget(key: string): Promise<void> {
    const link = this.#links.get(key);
    this.#links.delete(key);
    await link?.[Symbol.asyncDispose]();
  }

  async #probe({ client, connection }: Extract<Link, { type: 'open' }>, signal: AbortSignal): Promise<SourceState> {
    try {
      const version = await readVersion(client, signal);
      await checkRights(client, signal);
      const run = await readNodes(client, signal);
      const checkAgainMs = run.status === 'False' ? this.#retryMs : this.#checkMs;
      return { ...answering(connection.server, version), run, checkAgainMs };
    } catch (thrown) {
      signal.throwIfAborted();
      const reason = isError(thrown, 'Unauthorized', 'Forbidden') ? 'AccessDenied' : 'Unreachable';
      return { ...notReady(reason, sentence(toError(thrown))), checkAgainMs: this.#retryMs };
    }
  }
}

async function readVersion(client: HttpClient, signal: AbortSignal): Promise<string | undefined> {
  const response = await client.raw('/version', { signal, timeoutMs: 10_000 });
  const { gitVersion } = (await response.json()) as { gitVersion?: string };
  return gitVersion?.replace(/^v/, '');
}

/**
 * Any client may read the version. A resource that every cluster has and few clients may read shows whether we are
 * authorized.
 */
async function checkRights(client: HttpClient, signal: AbortSignal): Promise<void> {
  const namespace = { group: '', version: 'v1', plural: 'namespaces', name: 'kube-system' };
  try {
    await client.get(namespace, { signal, timeoutMs: 10_000 });
  } catch (error) {
    if (!isError(error, 'NotFound')) throw error;
  }
}

const answering = (url: string, version: string | undefined): SourceState => ({
  isReady: true,
  reason: 'Reachable',
  message: 'The cluster answers.',
  endpoints: [
    { name: clusterNames.externalEndpoint, url },
    { name: clusterNames.internalEndpoint, url },
  ],
  ...(version === undefined ? {} : { version }),
});

const notReady = (reason: string, message: string): SourceState => ({ isReady: false, reason, message, endpoints: [] });

const secretNameOf = ({ spec }: Cluster): string | undefined => spec.clusterConfigs?.[0]?.name;

const placeOf = ({ metadata }: Cluster, name: string): string => `Secret ${metadata.namespace}/${name}`;

const nameMissing =
  'The cluster names no kubeconfig; set spec.clusterConfigs[0].name to a Secret beside it that has the key "kubeconfig".';

function sentence({ message }: ChandleryError): string {
  return `${message.charAt(0).toUpperCase()}${message.slice(1)}; look at the Secret that spec.clusterConfigs names.`;
}
