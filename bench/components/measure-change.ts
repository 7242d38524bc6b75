import { median } from '../kernel/statistics.ts';
import type { TenantsWorld } from './tenants-world.ts';

/** Milliseconds from the change of a shared definition until the APIs of these tenants serve it; the median of some. */
export async function measureChange(world: TenantsWorld, names: readonly string[], samples: number): Promise<number> {
  const times: number[] = [];
  for (let sample = 0; sample < samples; sample++) {
    const startedAt = performance.now();
    const description = await world.changeDefinition();
    for (const name of names) await world.untilServed(name, description);
    times.push(performance.now() - startedAt);
  }
  return median(times);
}
