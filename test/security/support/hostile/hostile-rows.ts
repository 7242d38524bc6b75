import type { HostileRow } from './hostile-row.ts';
import type { Cost, HostileWorld } from './hostile-world.ts';
import { bodyRows } from './rows-of-bodies.ts';
import { catalogRows } from './rows-of-catalogs.ts';
import { collectionRows } from './rows-of-collections.ts';
import { meshRows } from './rows-of-mesh.ts';
import { patchRows } from './rows-of-patches.ts';
import { queryRows } from './rows-of-queries.ts';
import { rightRows } from './rows-of-rights.ts';
import { schemaRows } from './rows-of-schemas.ts';
import { serviceRows } from './rows-of-services.ts';

/** All hostile requests, each with the rights of one tenant. */
export const hostileRows: readonly HostileRow[] = [
  ...bodyRows,
  ...patchRows,
  ...schemaRows,
  ...queryRows,
  ...rightRows,
  ...serviceRows,
  ...catalogRows,
  ...meshRows,
  ...collectionRows,
];

/** The least that a request of this size costs in several tries: other processes only ever make it cost more. */
export async function measureRow(
  world: HostileWorld,
  row: HostileRow,
  size: number,
  tries: number,
): Promise<Cost & { readonly status: number; readonly text: string }> {
  let [cpuMs, maxMs] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let attempt = 1; ; attempt++) {
    await world.readCost();
    const { status, text } = await row.send(world, size);
    const cost = await world.readCost();
    cpuMs = Math.min(cpuMs, cost.cpuMs);
    maxMs = Math.min(maxMs, cost.maxMs);
    if (attempt >= tries) return { ...cost, cpuMs, maxMs, status, text };
  }
}
