import { median, quantile } from '../kernel/statistics.ts';
import type { Section } from '../runtime/report.ts';
import { measureProvisions, type Round } from './provisions.ts';
import { baselineOf, type TwoWorlds } from './two-worlds.ts';

/** What counts as "does not grow": the same run differs by so much from itself. */
const mostGrowth = 1.25;

/** CPU of the server per provision; both stores take turns, so that a busy machine hits both. */
export async function measureCosts({ few, many, options }: TwoWorlds): Promise<Section> {
  const { provisions, rounds } = options;
  const [small, large]: [Round[], Round[]] = [[], []];
  for (const world of [few, many]) await measureProvisions(world, provisions);
  for (let round = 0; round < rounds; round++) {
    small.push(await measureProvisions(few, provisions));
    large.push(await measureProvisions(many, provisions));
  }
  const cpu = (taken: readonly Round[]) => median(taken.map(({ cpuMs }) => cpuMs));
  const latency = (taken: readonly Round[], share: number) =>
    quantile(
      taken.flatMap(({ latenciesMs }) => latenciesMs),
      share,
    );
  const rate = (taken: readonly Round[]) => median(taken.map(({ perSecond }) => perSecond));
  const isMet = cpu(large) / cpu(small) <= mostGrowth;
  const aim = { text: `at most ${mostGrowth} × of that with few`, isMet };
  return {
    title: `Provisions over OSB among ${options.many.toLocaleString('en-US')} instances`,
    baseline: baselineOf(options),
    rows: [
      { what: 'CPU per provision', unit: 'ms', ours: cpu(large), baseline: cpu(small), aim },
      { what: 'provisions', unit: '/s', ours: rate(large), baseline: rate(small) },
      { what: 'latency p50', unit: 'ms', ours: latency(large, 0.5), baseline: latency(small, 0.5) },
      { what: 'latency p99', unit: 'ms', ours: latency(large, 0.99), baseline: latency(small, 0.99) },
    ],
    remarks: [`${rounds} rounds of ${provisions} by turns, 16 at a time; medians of the rounds.`],
  };
}
