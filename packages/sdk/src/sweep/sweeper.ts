import { isError, type KubeObject } from '@chandlery/api';
import { type AccessRequest, accessRequests, clusterRequests } from '@chandlery/clusters/kinds';
import type { Clock, Logger } from '@chandlery/platform';
import type { AccessRecord } from '@chandlery/providers/kinds';
import {
  createWorkQueue,
  isConditionTrue,
  isDeleting,
  keyOf,
  runWorkers,
  type StepContext,
  type StepResult,
  type WorkContext,
  type WorkQueue,
  type WorkResult,
} from '@chandlery/runtime';
import { isManagedBy } from '../access/request-objects.ts';
import type { ServiceObject } from '../definition/service-kind.ts';
import { type AccessRequirement, accessRequirementsOf } from '../model/access-requirements.ts';
import { asTransient } from '../model/as-transient.ts';
import { instanceIdOf, sdkNames } from '../model/names.ts';
import type { ClusterConnection, ClusterRole } from '../objects/cluster-connection.ts';
import type { OwnerInfo, ResourceEntry } from '../objects/managed-objects.ts';
import { createScope, type ReconcileDeps } from '../reconcile/reconcile-scope.ts';
import { runServiceSteps } from '../reconcile/run-service-steps.ts';
import { deletionSteps } from '../reconcile/service-steps.ts';
import { cleared, forgetCluster } from '../reconcile/steps/give-back.ts';
import { annotateLeftover } from './annotate-leftover.ts';
import { FormerClusters, isOfSweep } from './former-clusters.ts';
import { findLabelledObjects } from './labelled-objects.ts';
import { decideAbout, isLost } from './lost-service.ts';

export interface SweeperOptions {
  readonly logger: Logger;
  readonly clock: Clock;
  /** Resolves when all informers are synced. */
  readonly synced: () => Promise<void>;
}

/** How often to check what no watch reports. */
const checkAgainMs = 5000;
/** How often to check for the end of deletions on clusters, which no watch reports here. */
const removalCheckMs = 1000;

/**
 * Cleans up after service objects that were deleted without the provider: a client removed their finalizer, possibly
 * while the provider did not run. Deletions of objects and changes of requests enqueue a key; at the start all requests
 * count as changed.
 */
export class Sweeper implements AsyncDisposable {
  readonly #deps: ReconcileDeps;
  readonly #options: SweeperOptions;
  readonly #queue: WorkQueue<string> = createWorkQueue<string>();
  /** The last state of objects that were deleted without the provider, updated by the deletion steps. */
  readonly #lost = new Map<string, ServiceObject>();
  /**
   * The cleanup state of objects of which only the key is known. `cleared`: access is not requested again; `over`: kept
   * until the cache has no request any more.
   */
  readonly #ending = new Map<string, 'begun' | 'cleared' | 'over'>();
  /** Keys that need the decision of an operator. */
  readonly #undecided = new Set<string>();
  readonly #former: FormerClusters;
  readonly #unlisten: (() => void)[] = [];
  #workers: AsyncDisposable | undefined;
  #isStopped = false;

  constructor(deps: ReconcileDeps, options: SweeperOptions) {
    this.#deps = deps;
    this.#options = options;
    this.#former = new FormerClusters(deps, record => this.#reportFormer(record));
  }

  start(): void {
    const { services, access, records } = this.#deps;
    const add = (request: KubeObject): void => this.#addOwner(request);
    const listener = { added: add, updated: add, deleted: add };
    this.#unlisten.push(
      services.listen({ deleted: object => this.#noteEnd(object) }),
      access.accessRequests.listen(listener),
      access.clusterRequests.listen(listener),
      records.informer.listen(listener),
    );
    void this.#startWorkers();
  }

  /** Enqueues an object whose cleanup is in progress, after a change that concerns it. */
  poke(key: string): void {
    const hasRecords = (): boolean => this.#find(key) === undefined && this.#deps.records.of(key).length > 0;
    if (this.#lost.has(key) || this.#ending.has(key) || hasRecords()) this.#queue.add(key);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const unlisten of this.#unlisten) unlisten();
    this.#isStopped = true;
    await (this.#workers?.[Symbol.asyncDispose]() ?? this.#queue.stop('abandon'));
  }

  #noteEnd(object: ServiceObject): void {
    const key = keyOf(object);
    if (isConditionTrue(object, cleared) && this.#deps.records.of(key).length === 0) return;
    if (isLost(object)) this.#lost.set(key, object);
    this.#queue.add(key);
  }

  #addOwner(request: KubeObject): void {
    const key = request.metadata.annotations?.[sdkNames.objectAnnotation];
    if (key === undefined || !isManagedBy(request, this.#deps.provider) || this.#find(key) !== undefined) return;
    this.#queue.add(key);
  }

  #find(key: string): ServiceObject | undefined {
    const { namespace, name } = identityOf(key);
    return this.#deps.services.get(namespace, name);
  }

  async #startWorkers(): Promise<void> {
    await this.#options.synced().catch(() => undefined);
    if (this.#isStopped) return;
    const { logger } = this.#options;
    this.#workers = runWorkers({
      name: 'sweeper',
      queue: this.#queue,
      graceMs: 0,
      work: (key, context) => this.#reconcile(key, context),
      onFailure: ({ key, error }) =>
        logger.warn('cannot clean up after a removed object', { key, error: error.message }),
    });
  }

  async #reconcile(key: string, { failures, signal }: WorkContext): Promise<WorkResult> {
    const { logger, clock } = this.#options;
    const context = { key, now: clock.now(), signal, failures, logger: logger.child({ key }), isRequested: false };
    try {
      const result = await this.#sweep(key, context);
      if (result === 'continue') return 'done';
      return { requeueAfterMs: result === 'stop' ? checkAgainMs : result.retryAfterMs };
    } catch (thrown) {
      throw asTransient(thrown);
    } finally {
      this.#deps.metrics.leftovers.with({}).set(this.#undecided.size);
    }
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

  /** Removes what the object, or its requests, refer to. */
  async #end(key: string, context: StepContext): Promise<StepResult> {
    const last = this.#lost.get(key);
    if (last !== undefined) return this.#endKnown(key, last, context);
    const requests = this.#requestsOf(key);
    const isOver = requests.length === 0 || this.#ending.get(key) === 'over';
    return isOver ? 'continue' : this.#endUnknown(key, requests, context);
  }

  /** Removes what no request refers to any more. */
  async #sweepFormer(key: string, context: StepContext): Promise<StepResult> {
    const state = await this.#former.sweep(key, context);
    if (state === 'undecided') this.#undecided.add(key);
    else this.#undecided.delete(key);
    if (state === 'removing') return { retryAfterMs: removalCheckMs };
    return state === 'waiting' ? 'stop' : 'continue';
  }

  /** Asks the server: the cache may be stale. */
  async #exists(key: string): Promise<boolean> {
    if (this.#find(key) !== undefined) return true;
    const { definition, onboarding } = this.#deps;
    const at = { ...definition.api.ref, ...identityOf(key) };
    const found = await onboarding.get(at).catch((error: unknown) => {
      if (!isError(error, 'NotFound')) throw error;
    });
    return found !== undefined;
  }

  /** Runs the deletion steps for the last known state of an object, with its policy and the provider's functions. */
  async #endKnown(key: string, last: ServiceObject, context: StepContext): Promise<StepResult> {
    const object = structuredClone(last);
    object.metadata.deletionTimestamp ??= context.now.toISOString();
    delete object.metadata.annotations?.['openmcp.cloud/operation'];
    const result = await runServiceSteps(deletionSteps, createScope(object, this.#deps, context));
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
    const requirements = this.#requirementsOf(key);
    const state = this.#ending.get(key) ?? 'begun';
    this.#ending.set(key, state);
    return state === 'cleared'
      ? this.#giveBack(key, requirements, context)
      : this.#takeAway(key, requirements, context);
  }

  async #takeAway(key: string, requirements: Requirements, context: StepContext): Promise<StepResult> {
    const connections: Partial<Record<ClusterRole, ClusterConnection>> = {};
    for (const [role, requirement] of requirements) {
      const state = await this.#deps.access.find(requirement, context.signal);
      if (state.type === 'waiting') return 'stop';
      if (state.type === 'ready') connections[role] = state.connection;
    }
    const owner = await this.#ownerOf(key, { requirements, connections, signal: context.signal });
    const { isRemoved } = await this.#deps.managed.remove(owner, connections, [], context.signal);
    if (!isRemoved) return { retryAfterMs: removalCheckMs };
    this.#ending.set(key, 'cleared');
    return this.#giveBack(key, requirements, context);
  }

  async #giveBack(key: string, requirements: Requirements, { signal }: StepContext): Promise<StepResult> {
    const { access, managed, definition } = this.#deps;
    const left: string[] = [];
    for (const [role, requirement] of requirements) {
      await forgetCluster(this.#deps, { key, role, requirement }, signal);
      if (requirement.object === undefined) continue;
      managed.forget(`${requirement.place.namespace}/${requirement.place.name}`);
      const rest = await access.release(requirement, signal);
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
    const { apiVersion, kind } = this.#deps.definition.api.object({ ...object }, {});
    const message = `It had vanished with its requests; what it had on cluster "${cluster.name}" was taken away.`;
    this.#report({ apiVersion, kind, metadata: { ...object } }, message);
  }

  #report(object: KubeObject, message: string): void {
    const { metrics, recorder } = this.#deps;
    metrics.swept.with({}).inc();
    this.#options.logger.info(`swept up after ${object.kind} "${keyOf(object)}"`, { message });
    recorder.record(object, { type: 'Warning', reason: 'SweptUp', message });
  }

  #requirementsOf(key: string): Requirements {
    const { definition, provider } = this.#deps;
    const requirements = accessRequirementsOf(definition, provider, identityOf(key));
    return (['mcp', 'workload'] as const).flatMap(role => {
      const requirement = requirements[role];
      return requirement === undefined ? [] : [[role, requirement] as const];
    });
  }

  async #ownerOf(
    key: string,
    { requirements, connections, signal }: { requirements: Requirements; connections: Connected; signal: AbortSignal },
  ): Promise<OwnerInfo> {
    const { definition, provider } = this.#deps;
    const owner = { key, instanceId: instanceIdOf(identityOf(key)), kind: definition.api.kind };
    const resources: ResourceEntry[] = [];
    for (const [role, { token }] of requirements) {
      const client = connections[role]?.client;
      if (client === undefined) continue;
      resources.push(...(await findLabelledObjects(client, { role, owner, provider, token, signal })));
    }
    return { ...owner, resources };
  }

  #requestsOf(key: string): readonly KubeObject[] {
    const isOfOrder = (request: KubeObject): boolean =>
      request.kind !== accessRequests.kind || !isOfSweep(request as AccessRequest);
    return this.#deps.access.requestsOf(key).filter(isOfOrder);
  }

  #annotate(request: KubeObject, message: string): Promise<void> {
    const { ref } = request.kind === clusterRequests.kind ? clusterRequests : accessRequests;
    return annotateLeftover(this.#deps.platform, ref, request, message);
  }
}

type Requirements = readonly (readonly [ClusterRole, AccessRequirement])[];
type Connected = Readonly<Partial<Record<ClusterRole, ClusterConnection>>>;

function identityOf(key: string): { readonly namespace: string; readonly name: string } {
  const [namespace = '', name = ''] = key.split('/');
  return { namespace, name };
}
