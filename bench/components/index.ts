// `npm run bench -- components [--quick] [--tenants N]`: tenants that have picked five components each. How long binding takes,
// what a tenant and a component cost in memory, and what a change of a shared definition costs with one tenant and with many.

import { parseArgs } from 'node:util';
import { benchProgram } from '../bench-program.ts';
import { measureChange } from './measure-change.ts';
import { startTenantsWorld, type TenantsWorld } from './tenants-world.ts';

const aims = { kiBPerComponent: 20, changeRatio: 1 };
const componentsPerTenant = 5;
/** Two measurements of the same differ by so much. */
const noise = 0.25;

const print = (value: string, what: string, verdict = ''): void =>
  console.log(`${value.padStart(16)}  ${verdict.padEnd(6)}  ${what}`);

/** Bytes that stay after a collection, on the heap and beside it. */
function keptBytes(): number {
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, external, arrayBuffers } = process.memoryUsage();
  return heapUsed + external + arrayBuffers;
}

async function measureBinding(world: TenantsWorld, names: readonly string[]): Promise<void> {
  const [startedAt, before] = [performance.now(), keptBytes()];
  await world.createTenants(names);
  const [madeAt, made] = [performance.now(), keptBytes()];
  await world.bindAll(names);
  const boundAt = performance.now();
  await world.useAll(names);
  const bound = keptBytes();
  const bindings = names.length * componentsPerTenant;
  const kiB = (bound - made) / 1024 / bindings;
  print(`${((madeAt - startedAt) / names.length).toFixed(1)} ms`, 'to make a tenant with its own API');
  print(
    `${((boundAt - madeAt) / bindings).toFixed(2)} ms`,
    `to bind a component, ${bindings.toLocaleString('en-US')} one after the other and some at a time`,
  );
  print(`${((made - before) / 1024 / names.length).toFixed(1)} KiB`, 'memory of a tenant without components');
  const verdict = kiB <= aims.kiBPerComponent ? 'met' : 'MISSED';
  print(
    `${kiB.toFixed(1)} KiB`,
    `memory of a component of a tenant, after a use of each (aim ≤ ${aims.kiBPerComponent} KiB)`,
    verdict,
  );
}

async function run(): Promise<void> {
  const { values } = parseArgs({
    options: { quick: { type: 'boolean', default: false }, tenants: { type: 'string', default: '' } },
  });
  const count = Number(values.tenants) || (values.quick ? 10 : 1000);
  const samples = values.quick ? 3 : 25;
  await using world = await startTenantsWorld(componentsPerTenant);
  console.log(`${count.toLocaleString('en-US')} tenants with ${componentsPerTenant} components each\n`);
  await world.createTenants(['first']);
  await world.bindAll(['first']);
  await measureChange(world, ['first'], samples);
  const alone = await measureChange(world, ['first'], samples);
  const names = Array.from({ length: count - 1 }, (_, index) => `tenant-${index}`);
  await measureBinding(world, names);
  const crowd = await measureChange(world, ['first'], samples);
  const everybody = await measureChange(world, ['first', ...names], Math.min(samples, 5));
  const ratio = crowd / alone;
  print(`${alone.toFixed(2)} ms`, 'until a changed definition is served, with one tenant');
  const verdict = ratio <= aims.changeRatio + noise ? 'met' : 'MISSED';
  print(
    `${crowd.toFixed(2)} ms`,
    `the same with ${count.toLocaleString('en-US')} tenants: ${ratio.toFixed(2)} × (aim: not slower)`,
    verdict,
  );
  print(
    `${everybody.toFixed(2)} ms`,
    `until it is served by the APIs of all of them: ${(everybody / crowd).toFixed(2)} × that of one`,
  );
}

await benchProgram(run);
