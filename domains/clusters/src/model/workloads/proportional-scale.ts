import { sum } from './numbers.ts';
import type { RolloutView, Scaling, SetView } from './rollout.ts';

const setsOf = ({ current, old }: RolloutView): readonly SetView[] => [
  ...(current === undefined ? [] : [current]),
  ...old,
];

/** The one set that carries the deployment: the only active one, or the newest when none is. */
function soleSet(view: RolloutView): SetView | undefined {
  const active = setsOf(view).filter(set => set.replicas > 0);
  if (active.length > 1) return undefined;
  return active[0] ?? view.current ?? view.old.toSorted((left, right) => right.createdAtMs - left.createdAtMs)[0];
}

const isSaturated = ({ replicas, current }: RolloutView): boolean =>
  current !== undefined &&
  current.replicas === replicas &&
  current.desired === replicas &&
  current.available >= replicas;

/**
 * Spreads a new number of replicas over the sets of a rollout in proportion to their sizes, so that scaling neither
 * hastens nor stops it. Without a rollout the one set gets the number.
 */
export function planScale(view: RolloutView, isRolling: boolean): readonly Scaling[] {
  const sole = soleSet(view);
  if (sole !== undefined) return sole.replicas === view.replicas ? [] : [{ name: sole.name, replicas: view.replicas }];
  if (isSaturated(view)) return view.old.filter(set => set.replicas > 0).map(({ name }) => ({ name, replicas: 0 }));
  return isRolling ? spread(view) : [];
}

function spread(view: RolloutView): readonly Scaling[] {
  const active = setsOf(view).filter(set => set.replicas > 0);
  const total = sum(active.map(set => set.replicas));
  const allowed = view.replicas === 0 ? 0 : view.replicas + view.limits.maxSurge;
  const difference = allowed - total;
  // The largest bear the most; among equals the newest grow and the oldest shrink.
  const age = difference > 0 ? -1 : 1;
  const ordered = active.toSorted(
    (left, right) => right.replicas - left.replicas || age * (left.createdAtMs - right.createdAtMs),
  );
  let left = difference;
  const shares = ordered.map(set => {
    const share = clamp(fractionOf(set, allowed, total), left);
    left -= share;
    return share;
  });
  return ordered
    .map((set, index) => ({
      name: set.name,
      before: set.replicas,
      replicas: Math.max(0, set.replicas + (shares[index] ?? 0) + (index === 0 ? left : 0)),
    }))
    .filter(({ before, replicas }) => before !== replicas)
    .map(({ name, replicas }) => ({ name, replicas }));
}

/** How much a set grows or shrinks if all do alike. */
const fractionOf = (set: SetView, allowed: number, total: number): number =>
  Math.round((set.replicas * allowed) / (set.max ?? total)) - set.replicas;

/** Not past what is left to share out, and not the other way. */
const clamp = (share: number, left: number): number =>
  left > 0 ? Math.min(Math.max(share, 0), left) : Math.max(Math.min(share, 0), left);
