import type { Colour } from './colour.ts';

/** Headings of columns with a state. */
const stateColumns = new Set(['state', 'status', 'phase', 'ready', 'synced', 'healthy', 'usable', 'last op', 'token']);

const states: readonly (readonly [Colour, RegExp])[] = [
  ['red', /^(failed|error|false|degraded|unhealthy|lost|rejected|crashloopbackoff|expired\b.*|.* failed)$/i],
  [
    'green',
    /^(ready|running|ok|true|succeeded|active|bound|available|healthy|synced|established|completed?|valid\b.*|.* succeeded)$/i,
  ],
  [
    'yellow',
    /^(pending|progressing|accepted|preparing|provisioning|scheduled|executing|deprovision|deleting|terminating|unbinding|suspended|paused|unknown|waiting|stale|.* in progress)$/i,
  ],
];

/** The colour of a cell by the state that it shows; undefined for all other cells. */
export function stateColour(heading: string, cell: string): Colour | undefined {
  if (!stateColumns.has(heading.toLowerCase())) return undefined;
  return states.find(([, pattern]) => pattern.test(cell))?.[0];
}
