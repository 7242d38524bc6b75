import type { Change } from '../store/store.ts';

/** Which of the changes come right after a position, without a gap, and which beyond. Those before it are left out. */
export function splitAtGap(changes: readonly Change[], position: number): { next: Change[]; beyond: Change[] } {
  const next: Change[] = [];
  const beyond: Change[] = [];
  for (const change of changes) {
    const missing = change.revision - position - next.length;
    if (missing === 1) next.push(change);
    else if (missing > 1) beyond.push(change);
  }
  return { next, beyond };
}
