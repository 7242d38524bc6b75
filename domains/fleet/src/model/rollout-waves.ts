import type { RolloutSpec } from './rollout-types.ts';

/** A wave is kept in the status of one object: bigger ones are split. */
const maxWave = 2000;
const defaultWaves: NonNullable<RolloutSpec['waves']> = [{ count: 1 }, { percent: 10 }];

/** The sizes of all waves: those that are asked for, then everything that is left. */
export function waveSizes(total: number, waves: RolloutSpec['waves'] = defaultWaves): readonly number[] {
  const sizes: number[] = [];
  let left = total;
  const add = (size: number): void => {
    for (let rest = Math.min(size, left); rest > 0; rest -= maxWave) sizes.push(Math.min(rest, maxWave));
    left -= Math.min(size, left);
  };
  for (const { count, percent } of waves) add(Math.max(1, count ?? Math.ceil((total * (percent ?? 100)) / 100)));
  add(left);
  return sizes;
}
