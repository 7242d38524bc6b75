import { type Clock, systemClock } from '@chandlery/platform';
import { applyDesired } from './apply-desired.ts';
import type { Connections } from './cluster-connection.ts';
import { ClusterWatches } from './cluster-watches.ts';
import { ConflictWatches } from './conflict-watches.ts';
import { type DesiredObject, toDesiredObject, whereOf } from './desired-object.ts';
import { placeOf } from './kind-refs.ts';
import type {
  ApplyReport,
  Change,
  Desired,
  ManagedObjects,
  ManagedObjectsOptions,
  OwnerInfo,
  RemovalReport,
} from './managed-objects.ts';
import { planDesired } from './plan-desired.ts';
import { releaseDesired } from './release.ts';
import { removalOrder, removeDesired } from './removal.ts';
import { type Found, readObject, type Work } from './work.ts';

/** Creates the managed objects of a provider; the caller disposes of them. */
export const createManagedObjects = (options: ManagedObjectsOptions): ManagedObjects => new WatchedObjects(options);

class WatchedObjects implements ManagedObjects {
  readonly #options: ManagedObjectsOptions;
  readonly #clock: Clock;
  readonly #watches: ClusterWatches;
  readonly #conflicts: ConflictWatches;

  constructor(options: ManagedObjectsOptions) {
    const { provider, fieldManager, logger, clock = systemClock } = options;
    this.#options = options;
    this.#clock = clock;
    const onChange = (key: string): void =>
      options.onChange === undefined ? options.onDrift(key) : options.onChange(key);
    this.#conflicts = new ConflictWatches(onChange);
    this.#watches = new ClusterWatches({
      provider,
      fieldManager,
      logger,
      clock,
      onDrift: key => options.onDrift(key),
      onChange,
    });
  }

  async apply(
    owner: OwnerInfo,
    connections: Connections,
    desired: readonly Desired[],
    signal: AbortSignal,
  ): Promise<ApplyReport> {
    const work = this.#work(owner, connections, signal);
    const { repairedSinceMs, ...report } = await applyDesired(work, this.#desiredObjects(owner, desired));
    const nowMs = this.#clock.now().getTime();
    for (const sinceMs of repairedSinceMs) this.#options.metrics?.onDriftRepaired?.((nowMs - sinceMs) / 1000);
    this.#report(owner, report.changes);
    return report;
  }

  plan(owner: OwnerInfo, connections: Connections, desired: readonly Desired[], signal: AbortSignal) {
    return planDesired(this.#work(owner, connections, signal), this.#desiredObjects(owner, desired));
  }

  remove(
    owner: OwnerInfo,
    connections: Connections,
    desired: readonly Desired[],
    signal: AbortSignal,
  ): Promise<RemovalReport> {
    this.#dropAll(owner, connections);
    return removeDesired(this.#work(owner, connections, signal), this.#desiredObjects(owner, desired));
  }

  survey(owner: OwnerInfo, connections: Connections, desired: readonly Desired[], signal: AbortSignal) {
    return surveyDesired(this.#work(owner, connections, signal), this.#desiredObjects(owner, desired));
  }

  release(owner: OwnerInfo, connections: Connections, desired: readonly Desired[], signal: AbortSignal) {
    this.#dropAll(owner, connections);
    return releaseDesired(this.#work(owner, connections, signal), this.#desiredObjects(owner, desired));
  }

  forget(connectionId: string): void {
    this.#watches.forget(connectionId);
    this.#conflicts.forget(connectionId);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#conflicts[Symbol.asyncDispose]();
    await this.#watches[Symbol.asyncDispose]();
  }

  #work(owner: OwnerInfo, connections: Connections, signal: AbortSignal): Work {
    const { provider, fieldManager } = this.#options;
    return { owner, connections, signal, provider, fieldManager, watches: this.#watches, conflicts: this.#conflicts };
  }

  #desiredObjects(owner: OwnerInfo, desired: readonly Desired[]): DesiredObject[] {
    return desired.map(each => toDesiredObject(each, this.#options.provider, owner));
  }

  #dropAll({ key }: OwnerInfo, connections: Connections): void {
    this.#conflicts.endAll(key);
    for (const connection of Object.values(connections)) {
      for (const watch of this.#watches.all(connection)) watch.dropAll(key);
    }
  }

  /** Records an event for each repaired deviation. Changes of the desired state are only logged. */
  #report({ object, key }: OwnerInfo, changes: readonly Change[]): void {
    const { recorder, logger } = this.#options;
    for (const change of changes) {
      const { action, kind, fields, isDrift } = change;
      const what = `${kind} "${placeOf(change)}" ${whereOf(change.cluster)}`;
      logger.info(isDrift ? 'a managed object was put back' : 'a managed object was written', {
        key,
        what,
        action,
        fields,
      });
      if (!isDrift || object === undefined) continue;
      recorder?.record(object, { type: 'Normal', reason: 'DriftRepaired', message: driftSentence(change, what) });
    }
  }
}

function driftSentence({ action, fields }: Change, what: string): string {
  if (action === 'create') return `${what} had been deleted and was made again.`;
  return `${what} had been changed (${fields.join(', ')}) and was put back.`;
}

/** Returns everything of the owner that is on the clusters now, desired or not. */
async function surveyDesired(work: Work, desiredObjects: readonly DesiredObject[]): Promise<readonly Found[]> {
  const found: Found[] = [];
  for (const each of await removalOrder(work, desiredObjects)) {
    const connection = work.connections[each.role];
    const live = connection && (await readObject(connection.client, each.ref, work));
    if (live !== undefined) found.push({ ...each, object: live });
  }
  return found;
}
