import { toError } from '@chandlery/api';
import { type AccessRequest, accessRequests } from '@chandlery/clusters/kinds';
import { type AccessRecord, accessRecords } from '@chandlery/providers/kinds';
import type { StepContext } from '@chandlery/runtime';
import { type AccessRequirement, formerClusterRequirement } from '../model/access-requirements.ts';
import { instanceIdOf } from '../model/names.ts';
import type { ClusterConnection } from '../objects/cluster-connection.ts';
import type { ReconcileDeps } from '../reconcile/reconcile-scope.ts';
import { annotateLeftover } from './annotate-leftover.ts';
import { findLabelledObjects } from './labelled-objects.ts';
import { decideAbout } from './lost-service.ts';

/** The cleanup state of the former clusters of a deleted service object. */
export type FormerState = 'clean' | 'removing' | 'waiting' | 'undecided';

/** A cluster usually grants access within this time; after it the cluster counts as unreachable. */
const reachableWithinMs = 10_000;

type FormerClustersDeps = Pick<
  ReconcileDeps,
  'definition' | 'provider' | 'platform' | 'access' | 'records' | 'managed'
>;

/** Whether an AccessRequest was created by the sweeper and not for a service object: it refers to no ClusterRequest. */
export const isOfSweep = ({ spec }: AccessRequest): boolean => spec.requestRef === undefined;

/**
 * Removes what deleted service objects left on clusters that no request refers to any more: the requests were deleted
 * with the ControlPlane, or by an operator. The AccessRecords name the clusters.
 */
export class FormerClusters {
  readonly #deps: FormerClustersDeps;
  readonly #onSwept: (record: AccessRecord) => void;
  /** When each record began to wait for access. */
  readonly #waitingSinceMs = new Map<string, number>();

  /** Records of cleared clusters: access is only given back, and not requested again. */
  readonly #cleared = new Set<string>();

  constructor(deps: FormerClustersDeps, onSwept: (record: AccessRecord) => void) {
    this.#deps = deps;
    this.#onSwept = onSwept;
  }

  /** Call it until it returns `clean`; changes of records and requests enqueue the key. */
  async sweep(key: string, context: StepContext): Promise<FormerState> {
    const states: FormerState[] = [];
    for (const record of this.#deps.records.of(key)) {
      states.push(await this.#sweepCluster(record, context));
      if (states.at(-1) === 'clean') await this.#deps.records.forget(record, context.signal);
    }
    await this.dropRequests(key, context.signal);
    return (['removing', 'waiting', 'undecided'] as const).find(state => states.includes(state)) ?? 'clean';
  }

  /** Deletes the sweeper's AccessRequests without a record, or, with `all`, all of those for the service object. */
  async dropRequests(key: string, signal: AbortSignal, { all = false } = {}): Promise<void> {
    const { access, records, definition } = this.#deps;
    // An object that exists may use the cluster again.
    if (all) for (const record of records.of(key)) this.#cleared.delete(nameOf(record));
    const used = all ? [] : records.of(key).map(record => formerClusterRequirement(definition, record).place.name);
    for (const request of access.requestsOf(key)) {
      const { name = '', namespace = '', uid } = request.metadata;
      if (request.kind !== accessRequests.kind || !isOfSweep(request as AccessRequest) || used.includes(name)) continue;
      await access.delete(accessRequests.ref, { namespace, name, uid }, signal);
    }
  }

  async #sweepCluster(record: AccessRecord, context: StepContext): Promise<FormerState> {
    const { access, definition } = this.#deps;
    const { signal } = context;
    const requirement = formerClusterRequirement(definition, record);
    const isEmpty = this.#cleared.has(nameOf(record)) || !(await access.hasCluster(record.spec.cluster, signal));
    if (isEmpty) return this.#giveBack(record, requirement, signal);
    const decision = decideAbout([record]);
    if (decision.type === 'report') {
      await this.#annotate(record, decision.message);
      return 'undecided';
    }
    try {
      const state = await access.find(requirement, signal);
      if (state.type === 'gone') return await this.#giveBack(record, requirement, signal);
      if (state.type === 'waiting') return await this.#reportWaiting(record, state.message, context);
      return await this.#takeAway(record, { requirement, connection: state.connection }, signal);
    } catch (error) {
      await this.#annotate(record, unreachable(record, toError(error).message));
      throw error;
    }
  }

  async #takeAway(
    record: AccessRecord,
    { requirement, connection }: { readonly requirement: AccessRequirement; readonly connection: ClusterConnection },
    signal: AbortSignal,
  ): Promise<FormerState> {
    const { definition, managed, provider } = this.#deps;
    const { object, role } = record.spec;
    const owner = {
      key: `${object.namespace}/${object.name}`,
      instanceId: instanceIdOf(object),
      kind: definition.api.kind,
      resources: [],
    };
    const query = { role, owner, provider, token: requirement.token, signal };
    const resources = await findLabelledObjects(connection.client, query);
    const { isRemoved } = await managed.remove({ ...owner, resources }, { [role]: connection }, [], signal);
    if (!isRemoved) return 'removing';
    this.#cleared.add(nameOf(record));
    this.#onSwept(record);
    return this.#giveBack(record, requirement, signal);
  }

  async #giveBack(record: AccessRecord, requirement: AccessRequirement, signal: AbortSignal): Promise<FormerState> {
    const { access, managed } = this.#deps;
    this.#waitingSinceMs.delete(nameOf(record));
    managed.forget(`${requirement.place.namespace}/${requirement.place.name}`);
    if ((await access.release(requirement, signal)) !== undefined) return 'removing';
    this.#cleared.delete(nameOf(record));
    return 'clean';
  }

  async #reportWaiting(record: AccessRecord, message: string, { now }: StepContext): Promise<FormerState> {
    const name = nameOf(record);
    const sinceMs = this.#waitingSinceMs.get(name) ?? now.getTime();
    this.#waitingSinceMs.set(name, sinceMs);
    if (now.getTime() - sinceMs >= reachableWithinMs) await this.#annotate(record, unreachable(record, message));
    return 'waiting';
  }

  #annotate(record: AccessRecord, message: string): Promise<void> {
    return annotateLeftover(this.#deps.platform, accessRecords.ref, record, message);
  }
}

const nameOf = ({ metadata }: AccessRecord): string => metadata.name ?? '';

const unreachable = ({ spec: { cluster } }: AccessRecord, why: string): string =>
  `Cluster ${cluster.namespace}/${cluster.name} cannot be reached, and may hold what the order had there: ${why}`;
