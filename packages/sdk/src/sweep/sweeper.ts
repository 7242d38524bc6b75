import { isError, type KubeObject, toError } from '@chandlery/api';
import { type AccessRequest, accessRequests, clusterRequests } from '@chandlery/clusters/kinds';
import type { Clock, Logger } from '@chandlery/platform';
import type { AccessRecord } from '@chandlery/providers/kinds';
import {
  createWorkQueue,
  isConditionTrue,
  isDeleting,
  keyOf,
  type StepContext,
  type StepResult,
  type WorkQueue,
} from '@chandlery/runtime';
import { isManagedBy } from '../access/request-objects.ts';
import type { ServiceObject } from '../definition/service-kind.ts';
import { type AccessWish, accessWishesOf } from '../model/access-wishes.ts';
import { instanceIdOf, sdkNames } from '../model/names.ts';
import type { ClusterConnection, ClusterRole } from '../objects/cluster-connection.ts';
import type { OwnerInfo, ResourceEntry } from '../objects/managed-objects.ts';
import { newPass, type ReconcileNeeds } from '../reconcile/pass.ts';
import { runStages } from '../reconcile/run-stages.ts';
import { cleared, forgetCluster } from '../reconcile/stages/give-back.ts';
import { endStages } from '../reconcile/stages.ts';
import { annotateLeftover } from './annotate-leftover.ts';
import { FormerClusters, isOfSweep } from './former-clusters.ts';
import { decideAbout, isLost } from './lost-service.ts';
import { findMarkedObjects } from './marked-objects.ts';

export interface SweeperOptions {
  readonly logger: Logger;
  readonly clock: Clock;
  /** Resolves when all informers have been read once. */
  readonly synced: () => Promise<void>;
}

/** Watches tell when things are gone; this is for what they cannot see. */
const checkAgainMs = 5000;
/** What is being deleted on a cluster is gone soon, and nobody else tells. */
const removalCheckMs = 1000;

/**
 * Takes away what objects left that went without the provider: somebody removed their finalizer, perhaps while no process
 * ran. Woken by the end of objects and by changes of requests; at the start all requests are changes.
 */
export class Sweeper implements AsyncDisposable {
  readonly #needs: ReconcileNeeds;
  readonly #options: SweeperOptions;
  readonly #queue: WorkQueue<string> = createWorkQueue<string>();
  /** The last state of objects that went without us, and how far their end has come. */
  readonly #lost = new Map<string, ServiceObject>();
  /**
   * How far the end of objects has come of which nothing but the key is known. What is cleared does not ask for access
   * again; what is over is remembered until the cache shows no request any more.
   */
  readonly #ending = new Map<string, 'begun' | 'cleared' | 'over'>();
  /** Keys that somebody has to decide about. */
  readonly #undecided = new Set<string>();
  readonly #former: FormerClusters;
  readonly #stopped = new AbortController();
  readonly #unlisten: (() => void)[] = [];
  #worker: Promise<void> = Promise.resolve();

  constructor(needs: ReconcileNeeds, options: SweeperOptions) {
    this.#needs = needs;
    this.#options = options;
    this.#former = new FormerClusters(needs, record => this.#reportFormer(record));
  }

  start(): void {
    const { services, access, records } = this.#needs;
    const add = (request: KubeObject): void => this.#addOwner(request);
    const listener = { added: add, updated: add, deleted: add };
    this.#unlisten.push(
      services.listen({ deleted: object => this.#noteEnd(object) }),
      access.accessRequests.listen(listener),
      access.clusterRequests.listen(listener),
      records.informer.listen(listener),
    );
    this.#worker = this.#work();
  }

  /** Something that concerns the object has changed: its end may go on. */
  poke(key: string): void {
    const hasRecords = (): boolean => this.#find(key) === undefined && this.#needs.records.of(key).length > 0;
    if (this.#lost.has(key) || this.#ending.has(key) || hasRecords()) this.#queue.add(key);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const unlisten of this.#unlisten) unlisten();
    this.#stopped.abort();
    await this.#queue.stop();
    await this.#worker;
  }

  #noteEnd(object: ServiceObject): void {
    const key = keyOf(object);
    if (isConditionTrue(object, cleared) && this.#needs.records.of(key).length === 0) return;
    if (isLost(object)) this.#lost.set(key, object);
    this.#queue.add(key);
  }

  #addOwner(request: KubeObject): void {
    const key = request.metadata.annotations?.[sdkNames.objectAnnotation];
    if (key === undefined || !isManagedBy(request, this.#needs.provider) || this.#find(key) !== undefined) return;
    this.#queue.add(key);
  }

  #find(key: string): ServiceObject | undefined {
    const { namespace, name } = identityOf(key);
    return this.#needs.services.get(namespace, name);
  }

  async #work(): Promise<void> {
    const { signal } = this.#stopped;
    await this.#options.synced().catch(() => undefined);
    for (let work = await this.#queue.next(signal); work !== undefined; work = await this.#queue.next(signal)) {
      using current = work;
      await this.#sweepSafely(current.key, current.failures);
    }
  }

  async #sweepSafely(key: string, failures: number): Promise<void> {
    const { logger, clock } = this.#options;
    const context = {
      key,
      now: clock.now(),
      signal: this.#stopped.signal,
      failures,
      logger: logger.child({ key }),
      isRequested: false,
    };
    try {
      const result = await this.#sweep(key, context);
      this.#queue.forget(key);
      if (typeof result === 'object') this.#queue.addAfter(key, result.retryAfterMs);
      else if (result === 'stop') this.#queue.addAfter(key, checkAgainMs);
    } catch (thrown) {
      if (this.#stopped.signal.aborted) return;
      logger.warn('cannot take away what a vanished object left', { key, error: toError(thrown).message });
      this.#queue.addRateLimited(key);
    }
    this.#needs.metrics.leftovers.with({}).set(this.#undecided.size);
  }

  async #sweep(key: string, context: StepContext): Promise<StepResult> {
    if (await this.#exists(key)) {
      this.#lost.delete(key);
      this.#undecided.delete(key);
      this.#ending.delete(key);
      await this.#former.dropRequests(key, context.signal, { all: true });
      return 'continue';
    }
    const result = await this.#end(key, context);
    if (result !== 'continue') return result;
    if (this.#requestsOf(key).length === 0) this.#ending.delete(key);
    else if (this.#ending.get(key) !== 'over') return 'continue';
    return this.#sweepFormer(key, context);
  }

  /** Ends what the object, or its requests, lead to. */
  async #end(key: string, context: StepContext): Promise<StepResult> {
    const last = this.#lost.get(key);
    if (last !== undefined) return this.#endKnown(key, last, context);
    const requests = this.#requestsOf(key);
    const isOver = requests.length === 0 || this.#ending.get(key) === 'over';
    return isOver ? 'continue' : this.#endUnknown(key, requests, context);
  }

  /** What no request leads to any more. */
  async #sweepFormer(key: string, context: StepContext): Promise<StepResult> {
    const state = await this.#former.sweep(key, context);
    if (state === 'undecided') this.#undecided.add(key);
    else this.#undecided.delete(key);
    if (state === 'removing') return { retryAfterMs: removalCheckMs };
    return state === 'waiting' ? 'stop' : 'continue';
  }

  /** The cache may be behind. */
  async #exists(key: string): Promise<boolean> {
    if (this.#find(key) !== undefined) return true;
    const { definition, onboarding } = this.#needs;
    const at = { ...definition.api.ref, ...identityOf(key) };
    const found = await onboarding.get(at).catch((error: unknown) => {
      if (!isError(error, 'NotFound')) throw error;
    });
    return found !== undefined;
  }

  /** What an object that is known stood for ends as if it had been deleted: by its policy, and with the provider's code. */
  async #endKnown(key: string, last: ServiceObject, context: StepContext): Promise<StepResult> {
    const object = structuredClone(last);
    object.metadata.deletionTimestamp ??= context.now.toISOString();
    delete object.metadata.annotations?.['openmcp.cloud/operation'];
    const result = await runStages(endStages, newPass(object, this.#needs, context));
    if (result === 'continue') {
      this.#lost.delete(key);
      this.#ending.set(key, 'over');
      this.#report(object, 'Its finalizer had been removed; what it stood for was ended by its deletionPolicy.');
    } else {
      this.#lost.set(key, object);
    }
    return result;
  }

  async #endUnknown(key: string, requests: readonly KubeObject[], context: StepContext): Promise<StepResult> {
    const decision = decideAbout(requests.filter(request => !isDeleting(request)));
    if (decision.type === 'report' && requests.some(request => !isDeleting(request))) {
      this.#undecided.add(key);
      for (const request of requests) await this.#annotate(request, decision.message);
      return 'continue';
    }
    this.#undecided.delete(key);
    const wishes = this.#wishesOf(key);
    const state = this.#ending.get(key) ?? 'begun';
    this.#ending.set(key, state);
    return state === 'cleared' ? this.#giveBack(key, wishes, context) : this.#takeAway(key, wishes, context);
  }

  async #takeAway(key: string, wishes: Wishes, context: StepContext): Promise<StepResult> {
    const connections: Partial<Record<ClusterRole, ClusterConnection>> = {};
    for (const [role, wish] of wishes) {
      const state = await this.#needs.access.find(wish, context.signal);
      if (state.type === 'waiting') return 'stop';
      if (state.type === 'ready') connections[role] = state.connection;
    }
    const owner = await this.#ownerOf(key, { wishes, connections, signal: context.signal });
    const { isGone } = await this.#needs.managed.remove(owner, connections, [], context.signal);
    if (!isGone) return { retryAfterMs: removalCheckMs };
    this.#ending.set(key, 'cleared');
    return this.#giveBack(key, wishes, context);
  }

  async #giveBack(key: string, wishes: Wishes, { signal }: StepContext): Promise<StepResult> {
    const { access, managed, definition } = this.#needs;
    const left: string[] = [];
    for (const [role, wish] of wishes) {
      await forgetCluster(this.#needs, { key, role, wish }, signal);
      if (wish.object === undefined) continue;
      managed.forget(`${wish.place.namespace}/${wish.place.name}`);
      const rest = await access.release(wish, signal);
      if (rest !== undefined) left.push(rest);
    }
    if (left.length > 0) return 'stop';
    this.#ending.set(key, 'over');
    const { apiVersion, kind } = definition.api.object({ ...identityOf(key) }, {});
    const beyond =
      definition.service.delete === undefined
        ? ''
        : ' What it had beyond the clusters, if anything, was not taken away.';
    const message = `It had vanished while its provider did not run; what it had on clusters was taken away.${beyond}`;
    this.#report({ apiVersion, kind, metadata: identityOf(key) }, message);
    return 'continue';
  }

  #reportFormer({ spec: { object, cluster } }: AccessRecord): void {
    const { apiVersion, kind } = this.#needs.definition.api.object({ ...object }, {});
    const message = `It had vanished with its requests; what it had on cluster "${cluster.name}" was taken away.`;
    this.#report({ apiVersion, kind, metadata: { ...object } }, message);
  }

  #report(object: KubeObject, message: string): void {
    const { metrics, recorder } = this.#needs;
    metrics.swept.with({}).inc();
    this.#options.logger.info(`swept up after ${object.kind} "${keyOf(object)}"`, { message });
    recorder.record(object, { type: 'Warning', reason: 'SweptUp', message });
  }

  #wishesOf(key: string): Wishes {
    const { definition, provider } = this.#needs;
    const wishes = accessWishesOf(definition, provider, identityOf(key));
    return (['mcp', 'workload'] as const).flatMap(role => {
      const wish = wishes[role];
      return wish === undefined ? [] : [[role, wish] as const];
    });
  }

  async #ownerOf(
    key: string,
    { wishes, connections, signal }: { wishes: Wishes; connections: Connected; signal: AbortSignal },
  ): Promise<OwnerInfo> {
    const { definition, provider } = this.#needs;
    const owner = { key, instanceId: instanceIdOf(identityOf(key)), kind: definition.api.kind };
    const resources: ResourceEntry[] = [];
    for (const [role, { token }] of wishes) {
      const client = connections[role]?.client;
      if (client === undefined) continue;
      resources.push(...(await findMarkedObjects(client, { role, owner, provider, token, signal })));
    }
    return { ...owner, resources };
  }

  #requestsOf(key: string): readonly KubeObject[] {
    const isOfOrder = (request: KubeObject): boolean =>
      request.kind !== accessRequests.kind || !isOfSweep(request as AccessRequest);
    return this.#needs.access.requestsOf(key).filter(isOfOrder);
  }

  #annotate(request: KubeObject, message: string): Promise<void> {
    const { ref } = request.kind === clusterRequests.kind ? clusterRequests : accessRequests;
    return annotateLeftover(this.#needs.platform, ref, request, message);
  }
}

type Wishes = readonly (readonly [ClusterRole, AccessWish])[];
type Connected = Readonly<Partial<Record<ClusterRole, ClusterConnection>>>;

function identityOf(key: string): { readonly namespace: string; readonly name: string } {
  const [namespace = '', name = ''] = key.split('/');
  return { namespace, name };
}
