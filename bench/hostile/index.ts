// `npm run bench -- hostile [--quick] [--only <words of a row>]`: the table of hostile requests of test/security, and for
// each the longest time for which it keeps the server's only main thread. Leaves the numbers in .cache/bench/hostile.json.

import { parseArgs } from 'node:util';
import type { HostileRow } from '../../test/security/support/hostile/hostile-row.ts';
import { hostileRows, measureRow } from '../../test/security/support/hostile/hostile-rows.ts';
import { type HostileWorld, startHostileWorld } from '../../test/security/support/hostile/hostile-world.ts';
import { benchProgram, writeNumbers } from '../bench-program.ts';

/** The longest acceptable delay of other requests. */
const aimMs = 50;
const growth = 10;
const shownAtEnd = 10;

interface Measured {
  readonly what: string;
  readonly size: number;
  readonly status: number;
  readonly maxMs: number;
  readonly cpuMs: number;
  /** Processor time of the whole size in relation to that of a tenth of it. */
  readonly growth: number;
}

async function measure(world: HostileWorld, row: HostileRow, tries: number): Promise<Measured> {
  for (const size of [row.size, row.size * growth]) await row.prepare?.(world, size);
  const small = await measureRow(world, row, row.size, tries);
  const { status, maxMs, cpuMs } = await measureRow(world, row, row.size * growth, tries);
  return {
    what: row.what,
    size: row.size * growth,
    status,
    maxMs,
    cpuMs,
    growth: cpuMs / Math.max(small.cpuMs, 1),
  };
}

const lineOf = ({ what, size, status, maxMs, cpuMs, growth: times }: Measured): string =>
  [
    `${maxMs.toFixed(1).padStart(8)} ms`,
    `${cpuMs.toFixed(1).padStart(8)} ms`,
    `${times.toFixed(1).padStart(6)} ×`,
    String(size).padStart(9),
    String(status).padStart(5),
    maxMs <= aimMs ? ' met   ' : ' MISSED',
    what,
  ].join(' ');

async function run(): Promise<void> {
  const { values } = parseArgs({
    options: { quick: { type: 'boolean', default: false }, only: { type: 'string', default: '' } },
  });
  const rows = hostileRows.filter(({ what }) => what.includes(values.only));
  await using world = await startHostileWorld();
  console.log(`The longest turn of the main thread, aim ≤ ${aimMs} ms\n`);
  console.log('    longest    main CPU   growth      size  code  aim    request (growth: for ten times the size)');
  const measured: Measured[] = [];
  for (const row of values.quick ? rows.slice(0, 3) : rows) {
    const result = await measure(world, row, values.quick ? 1 : 3);
    measured.push(result);
    console.log(lineOf(result));
  }
  const missed = measured.filter(({ maxMs }) => maxMs > aimMs).length;
  const worst = measured.toSorted((one, other) => other.maxMs - one.maxMs).slice(0, shownAtEnd);
  console.log(`\nThe longest turns:\n${worst.map(lineOf).join('\n')}`);
  console.log(`\n${measured.length - missed} of ${measured.length} requests are within ${aimMs} ms.`);
  await writeNumbers({ name: 'hostile', isQuick: values.quick }, { measured });
}

await benchProgram(run);
