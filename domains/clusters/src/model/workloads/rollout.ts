import { resolveAmount, sum } from './numbers.ts';
import type { RollingUpdate } from './objects.ts';

/** What a rollout sees of a replica set. */
export interface SetView {
  readonly name: string;
  /** The desired number of pods. */
  readonly replicas: number;
  /** How many of them are available, as far as it has reported. */
  readonly available: number;
  readonly createdAtMs: number;
  /** What the deployment wanted when it last scaled the set; undefined when it never did. */
  readonly desired?: number;
  /** The most pods that were allowed then. */
  readonly max?: number;
}

/** What a rollout is about. */
export interface RolloutView {
  readonly replicas: number;
  readonly limits: RolloutLimits;
  readonly current: SetView | undefined;
  readonly old: readonly SetView[];
}

/** How far a rollout may stray from the number of replicas. */
export interface RolloutLimits {
  readonly maxSurge: number;
  readonly maxUnavailable: number;
}

/** A replica set to be scaled. */
export interface Scaling {
  readonly name: string;
  readonly replicas: number;
}

/** Surplus is rounded up and absence down; both 0 would stand still, so one pod may then be missing. */
export function rolloutLimits(replicas: number, settings: RollingUpdate | undefined): RolloutLimits {
  const maxSurge = resolveAmount(settings?.maxSurge ?? '25%', replicas, Math.ceil);
  const absent = resolveAmount(settings?.maxUnavailable ?? '25%', replicas, Math.floor);
  const maxUnavailable = Math.min(maxSurge === 0 && absent === 0 ? 1 : absent, replicas);
  return { maxSurge, maxUnavailable };
}

const byAge = (left: SetView, right: SetView): number =>
  left.createdAtMs - right.createdAtMs || (left.name < right.name ? -1 : 1);

const availableOf = ({ available, replicas }: SetView): number => Math.min(available, replicas);

/** The next step of replacing pods bit by bit: the new set grows, or the old ones shrink. None: wait or done. */
export function planRollingUpdate(view: RolloutView): readonly Scaling[] {
  if (view.current === undefined) return [];
  const grown = planCurrent(view, view.current);
  return grown === undefined ? planOld(view, view.current) : [grown];
}

function planCurrent({ replicas, limits, old }: RolloutView, current: SetView): Scaling | undefined {
  if (current.replicas === replicas) return undefined;
  if (current.replicas > replicas) return { name: current.name, replicas };
  const total = current.replicas + sum(old.map(set => set.replicas));
  const room = replicas + limits.maxSurge - total;
  if (room <= 0) return undefined;
  return { name: current.name, replicas: current.replicas + Math.min(room, replicas - current.replicas) };
}

/** With how many pods a set begins that is about to be made. */
export const initialReplicas = (view: RolloutView): number =>
  planCurrent(view, { name: '', replicas: 0, available: 0, createdAtMs: 0 })?.replicas ?? 0;

/** First pods that do not serve are deleted, then as many others as are not needed. */
function planOld({ replicas, limits, old }: RolloutView, current: SetView): readonly Scaling[] {
  const minAvailable = replicas - limits.maxUnavailable;
  const total = current.replicas + sum(old.map(set => set.replicas));
  const missing = current.replicas - availableOf(current);
  const room = total - minAvailable - missing;
  if (room <= 0) return [];
  const oldestFirst = old.toSorted(byAge);
  const cleaned = shrink(oldestFirst, room, set => set.replicas - availableOf(set));
  const spare = sum([current, ...cleaned].map(availableOf)) - minAvailable;
  const left = room - (sum(old.map(set => set.replicas)) - sum(cleaned.map(set => set.replicas)));
  return changes(oldestFirst, shrink(cleaned, Math.min(spare, left), availableOf));
}

/** Takes up to so many pods away, from the first sets first. */
function shrink(sets: readonly SetView[], most: number, spareOf: (set: SetView) => number): readonly SetView[] {
  let left = Math.max(0, most);
  return sets.map(set => {
    const taken = Math.min(left, spareOf(set));
    left -= taken;
    return taken === 0 ? set : { ...set, replicas: set.replicas - taken };
  });
}

const changes = (before: readonly SetView[], after: readonly SetView[]): readonly Scaling[] =>
  after
    .filter((set, index) => set.replicas !== before[index]?.replicas)
    .map(({ name, replicas }) => ({ name, replicas }));

/** All old pods go before the first new one comes. */
export function planRecreate(view: RolloutView, isOldRunning: boolean): readonly Scaling[] {
  const running = view.old.filter(set => set.replicas > 0);
  if (running.length > 0) return running.map(({ name }) => ({ name, replicas: 0 }));
  const { current, replicas } = view;
  return isOldRunning || current === undefined || current.replicas === replicas
    ? []
    : [{ name: current.name, replicas }];
}

/** Whether the deployment was scaled since its sets were scaled. */
export const isScaled = ({ replicas, current, old }: RolloutView): boolean =>
  [...old, ...(current === undefined ? [] : [current])].some(
    set => set.replicas > 0 && set.desired !== undefined && set.desired !== replicas,
  );
