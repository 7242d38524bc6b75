import type { InstanceRow } from './registry/fleet-registry.ts';

/** Rows of instances that are in no store. */
export const manyRows = (count: number): readonly InstanceRow[] =>
  Array.from({ length: count }, (_, at) => ({
    id: String(at),
    tenant: 'fleet',
    uid: '',
    revision: at,
    generation: 1,
    createdAt: '',
    updatedAt: '',
    isDeleting: false,
    hasFinalizer: true,
    spec: { product: 'dinosaurs', organisation: 'o', owner: `user-${at % 977}`, name: `name-${(at * 7919) % count}` },
    status: { state: 'ready' },
  }));

/** How often others had their turn while work was done. */
export async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let isOver = false;
  const count = (): void => {
    if (isOver) return;
    turns++;
    setImmediate(count);
  };
  setImmediate(count);
  await work();
  isOver = true;
  return turns;
}
