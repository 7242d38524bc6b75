import { isError, toError } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import type { Clock, Logger } from '@chandlery/platform';
import { retryOnConflict } from '@chandlery/runtime';
import type { MemoGetAction, MemoPutAction, MemoRead, Outputs } from '@chandlery/workflow';
import type { WorkflowIdentity } from '../../workflow-ports.ts';

const configMaps = { group: '', version: 'v1', plural: 'configmaps' };
const typeLabel = 'workflows.argoproj.io/configmap-type';

interface Entry {
  readonly nodeID: string;
  readonly outputs?: Outputs;
  readonly creationTimestamp: string;
  readonly lastHitTimestamp: string;
}

/** Outputs of memoized templates, kept in ConfigMaps as Argo keeps them. */
export class MemoCache {
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #logger: Logger;
  /** Writes in progress, by namespace and name of the cache. */
  readonly #writes = new Map<string, Promise<void>>();

  constructor(options: { readonly client: Client; readonly clock: Clock; readonly logger: Logger }) {
    this.#client = options.client;
    this.#clock = options.clock;
    this.#logger = options.logger;
  }

  /** A cache that cannot be read holds nothing. Shows everything that was written before. */
  async read({ namespace }: WorkflowIdentity, { node, cache, key, maxAgeMs }: MemoGetAction): Promise<MemoRead> {
    await this.#writes.get(`${namespace}/${cache}`);
    try {
      const found = await this.#client.get({ ...configMaps, namespace, name: cache });
      const text = ((found['data'] ?? {}) as Record<string, string>)[key];
      if (text === undefined) return { kind: 'memo', node };
      const entry = JSON.parse(text) as Entry;
      const ageMs = this.#clock.now().getTime() - Date.parse(entry.creationTimestamp);
      if (maxAgeMs !== undefined && ageMs > maxAgeMs) return { kind: 'memo', node };
      return { kind: 'memo', node, outputs: entry.outputs ?? {} };
    } catch (error) {
      if (!isError(error, 'NotFound')) this.#report(cache, error);
      return { kind: 'memo', node };
    }
  }

  /** Does not wait: a result that is not kept is computed again. */
  write({ namespace }: WorkflowIdentity, action: MemoPutAction): void {
    const key = `${namespace}/${action.cache}`;
    const written = (this.#writes.get(key) ?? Promise.resolve())
      .then(() => this.#put(namespace, action))
      .catch((error: unknown) => this.#report(action.cache, error))
      .finally(() => {
        if (this.#writes.get(key) === written) this.#writes.delete(key);
      });
    this.#writes.set(key, written);
  }

  async #put(namespace: string, { node, cache: name, key, outputs }: MemoPutAction): Promise<void> {
    const now = this.#clock.now().toISOString();
    const entry: Entry = { nodeID: node, ...(outputs && { outputs }), creationTimestamp: now, lastHitTimestamp: now };
    const data = { [key]: JSON.stringify(entry) };
    await retryOnConflict(async () => {
      try {
        await this.#client.patch({ ...configMaps, namespace, name }, { type: 'merge', body: { data } });
      } catch (error) {
        if (!isError(error, 'NotFound')) throw error;
        const metadata = { name, labels: { [typeLabel]: 'Cache' } };
        await this.#client.create(
          { ...configMaps, namespace },
          { apiVersion: 'v1', kind: 'ConfigMap', metadata, data },
        );
      }
    });
  }

  #report(cache: string, error: unknown): void {
    this.#logger.warn('a cache of memoized outputs was not used', { cache, error: toError(error).message });
  }
}
