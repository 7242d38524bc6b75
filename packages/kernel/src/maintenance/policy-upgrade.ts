import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { canonicalJson, type KubeObject } from '@chandlery/api';
import { bootstrapLabel, bootstrapPolicy, coversRules, type PolicyRule, rbacGroup } from '../access/index.ts';
import { decodeValue } from '../codec/stored-value.ts';
import type { ResourceDeps } from '../resources/request.ts';
import type { ObjectKey, StoredObject } from '../store/store.ts';
import { maintenanceMutate, targetOfKey } from './task.ts';

/** Kubernetes' annotation: with `"false"` a built-in role stays as it is. */
const autoUpdate = 'rbac.authorization.kubernetes.io/autoupdate';

const resource = `${rbacGroup}/clusterroles`;
const stateKey: ObjectKey = { cluster: 'platform', resource: 'internal/policy', namespace: '', name: 'roles' };
const pageSize = 100;
const restMs = 20;
const retryMs = 5000;

const builtIn: ReadonlyMap<string, readonly PolicyRule[]> = new Map(
  bootstrapPolicy()
    .filter(({ kind }) => kind === 'ClusterRole')
    .map(role => [role.metadata.name ?? '', (role['rules'] ?? []) as PolicyRule[]]),
);
const policyHash = createHash('sha256')
  .update(canonicalJson(Object.fromEntries(builtIn)))
  .digest('hex');

/**
 * Gives built-in roles of logical clusters that earlier versions made the rules that they lack, once for each version of
 * the rules, as Kubernetes does. Nothing is taken away, and roles that were deleted stay so. Runs in the process that
 * leads maintenance, a page at a time; one that is interrupted begins again.
 */
export class PolicyUpgrade {
  readonly #deps: ResourceDeps;
  readonly #onFailure: (what: string, error: unknown) => void;
  readonly #stopped = new AbortController();
  #running: Promise<void> = Promise.resolve();

  constructor(deps: ResourceDeps, onFailure: (what: string, error: unknown) => void) {
    this.#deps = deps;
    this.#onFailure = onFailure;
  }

  start(): void {
    this.#running = this.#untilDone();
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#running;
  }

  async #untilDone(): Promise<void> {
    const { signal } = this.#stopped;
    while (!signal.aborted) {
      try {
        return await this.#upgrade();
      } catch (error) {
        if (signal.aborted) return;
        this.#onFailure('updating built-in roles', error);
        await this.#rest(retryMs);
      }
    }
  }

  async #upgrade(): Promise<void> {
    const { store } = this.#deps;
    const known = await store.get(stateKey);
    if (known !== undefined && Buffer.from(known.value.bytes).toString() === policyHash) return;
    for (let after: ObjectKey | undefined; ; ) {
      const page = await store.list({ resource, limit: pageSize, isCounted: false, ...(after && { after }) });
      for (const stored of page.items) await this.#upgradeRole(stored);
      after = page.items.at(-1)?.key;
      if (!page.more || after === undefined) break;
      await this.#rest(restMs);
      if (this.#stopped.signal.aborted) return;
    }
    const value = { bytes: Buffer.from(policyHash), splice: 0 };
    await store.commit({ writes: [{ type: 'put', key: stateKey, expect: { type: 'any' }, value, terms: [] }] });
  }

  async #upgradeRole({ key, value, revision }: StoredObject): Promise<void> {
    const rules = builtIn.get(key.name);
    if (rules === undefined) return;
    const role = decodeValue(this.#deps.codec.open(key, value), revision);
    if (withMissingRules(role, rules) === role) return;
    const target = await targetOfKey(this.#deps, key);
    if (target === undefined) return;
    await maintenanceMutate(this.#deps, target, '', live => withMissingRules(live, rules));
  }

  async #rest(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#stopped.signal, ref: false }).catch(() => undefined);
  }
}

/** The role with the rules that it does not cover; itself when there are none, or it is not to be changed. */
export function withMissingRules(role: KubeObject, wanted: readonly PolicyRule[]): KubeObject {
  const { labels = {}, annotations = {}, deletionTimestamp } = role.metadata;
  const isOurs = labels[bootstrapLabel.key] === bootstrapLabel.value && annotations[autoUpdate] !== 'false';
  if (!isOurs || deletionTimestamp !== undefined) return role;
  const rules = (role['rules'] ?? []) as readonly PolicyRule[];
  const missing = wanted.filter(rule => !coversRules(rules, [rule]));
  return missing.length === 0 ? role : { ...role, rules: [...rules, ...missing] };
}
