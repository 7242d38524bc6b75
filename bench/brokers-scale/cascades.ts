import { eventually } from '@chandlery/testing';
import type { ManyInstances } from '../../test/scenarios/many-instances/support/many-instances.ts';
import { countOf } from '../../test/scenarios/many-instances/support/pages.ts';
import { cpuSeconds } from '../kernel/process-usage.ts';
import type { Section } from '../runtime/report.ts';
import { pidOf } from './provisions.ts';
import { baselineOf, type TwoWorlds } from './two-worlds.ts';

interface Cascade {
  readonly instances: number;
  readonly acceptMs: number;
  readonly seconds: number;
  readonly cpuMs: number;
  /** The longest that an unrelated request had to wait meanwhile. */
  readonly stallMs: number;
}

/** Deletes the first platform with all that it has. */
async function cascade(world: ManyInstances): Promise<Cascade> {
  const { landscape, platforms } = world;
  const id = platforms[0]?.id ?? '';
  const fieldQuery = `platform_id eq '${id}'`;
  const instances = await countOf(landscape, 'service_instances', { fieldQuery });
  const cpuBefore = await cpuSeconds(pidOf(world));
  const stall = watchStall(world);
  const started = performance.now();
  const answer = await landscape.request(`/v1/platforms/${id}?cascade=true`, { method: 'DELETE' });
  const acceptMs = performance.now() - started;
  if (answer.status !== 202) throw new Error(answer.text);
  await eventually(
    async () => {
      const { state, errors } = (await landscape.request(answer.headers.get('location') ?? '')).json();
      if (state === 'failed') throw new Error(JSON.stringify(errors));
      return state === 'succeeded';
    },
    { timeoutMs: 600_000, what: 'the end of the cascade' },
  );
  const seconds = (performance.now() - started) / 1000;
  const cpuMs = ((await cpuSeconds(pidOf(world))) - cpuBefore) * (1000 / instances);
  const left = await countOf(landscape, 'service_instances', { fieldQuery });
  if (left > 0) throw new Error(`the cascade has left ${left} instances`);
  return { instances, acceptMs, seconds, cpuMs, stallMs: await stall.stop() };
}

function watchStall({ landscape }: ManyInstances) {
  let isOver = false;
  const watch = async (): Promise<number> => {
    let worst = 0;
    while (!isOver) {
      const started = performance.now();
      await landscape.request('/livez');
      worst = Math.max(worst, performance.now() - started);
    }
    return worst;
  };
  const watching = watch();
  return {
    stop: (): Promise<number> => {
      isOver = true;
      return watching;
    },
  };
}

/** The end of a platform with a twentieth of all instances. */
export async function measureCascades({ few, many, options }: TwoWorlds): Promise<Section> {
  const small = await cascade(few);
  const large = await cascade(many);
  return {
    title: `Cascade of a platform with ${large.instances.toLocaleString('en-US')} instances`,
    baseline: `${small.instances.toLocaleString('en-US')}, ${baselineOf(options)}`,
    rows: [
      { what: 'until accepted', unit: 'ms', ours: large.acceptMs, baseline: small.acceptMs },
      { what: 'until the end', unit: 's', ours: large.seconds, baseline: small.seconds },
      { what: 'CPU per instance', unit: 'ms', ours: large.cpuMs, baseline: small.cpuMs },
      { what: 'longest wait of an unrelated request', unit: 'ms', ours: large.stallMs, baseline: small.stallMs },
    ],
  };
}
