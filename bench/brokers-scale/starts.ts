import type { ManyInstances } from '../../test/scenarios/many-instances/support/many-instances.ts';
import { cpuSeconds, residentBytes } from '../kernel/process-usage.ts';
import type { Section } from '../runtime/report.ts';
import { pidOf } from './provisions.ts';
import { baselineOf, type TwoWorlds } from './two-worlds.ts';

interface Start {
  readonly seconds: number;
  readonly cpu: number;
  readonly mebibytes: number;
}

async function restart(world: ManyInstances): Promise<Start> {
  await world.landscape.stop();
  const started = performance.now();
  await world.landscape.restart();
  const seconds = (performance.now() - started) / 1000;
  return { seconds, cpu: await cpuSeconds(pidOf(world)), mebibytes: (await residentBytes(pidOf(world))) / 2 ** 20 };
}

/** How long a start takes, and what is in memory afterwards. */
export async function measureStarts({ few, many, options }: TwoWorlds): Promise<Section> {
  const small = await restart(few);
  const large = await restart(many);
  return {
    title: `Start-up with ${options.many.toLocaleString('en-US')} instances`,
    baseline: baselineOf(options),
    rows: [
      { what: 'until ready', unit: 's', ours: large.seconds, baseline: small.seconds },
      { what: 'CPU', unit: 's', ours: large.cpu, baseline: small.cpu },
      { what: 'memory', unit: 'MiB', ours: large.mebibytes, baseline: small.mebibytes },
    ],
    remarks: ['Each instance has an operation, every tenth a binding.'],
  };
}
