import assert from 'node:assert/strict';
import { allowCalls, declareService } from '../../conformance/xds/support/declare-service.ts';
import { type MeshLandscape, startMeshLandscape } from '../../conformance/xds/support/mesh-landscape.ts';
import { MeshWitness } from './mesh-witness.ts';
import { measuredEnvironment, readMemoryInUse } from './server-memory.ts';

/** A mesh under attack, with a well-behaved proxy in it. */
export interface HostileMesh extends AsyncDisposable {
  readonly mesh: MeshLandscape;
  readonly witness: MeshWitness;
  /** The sum of a metric over its labels. */
  metric(name: string): Promise<number>;
  /**
   * Runs an attack, and fails when the server then uses more memory than allowed. The measured state must still exist
   * at its end.
   */
  withinMemory(mebibytes: number, attack: () => Promise<void>): Promise<void>;
  /** The process is the same one, ready, and has logged no internal error. */
  expectHealthy(): Promise<void>;
}

const mebibyte = 1024 * 1024;

/** Starts it. */
export async function startHostileMesh(): Promise<HostileMesh> {
  await using stack = new AsyncDisposableStack();
  const mesh = stack.use(await startMeshLandscape({ env: measuredEnvironment }));
  await declareService(mesh.client, { name: 'catalog', endpoints: [{ ip: '10.7.0.0' }] });
  await allowCalls(mesh.client, { name: 'web-to-catalog', from: ['web'], to: 'catalog' });
  const witness = stack.use(await MeshWitness.start(mesh));
  const { landscape } = mesh;
  const { pid } = landscape.process;
  const metric = async (name: string): Promise<number> => sumOf((await landscape.request('/metrics')).text, name);
  const memory = (): Promise<number> => readMemoryInUse(landscape.process);
  const owned = stack.move();
  return {
    mesh,
    witness,
    metric,
    withinMemory: async (mebibytes, attack) => {
      const before = await memory();
      await attack();
      const grown = Math.round(((await memory()) - before) / mebibyte);
      assert.ok(grown < mebibytes, `the server has ${grown} MiB more in use`);
    },
    expectHealthy: async () => {
      assert.equal((await landscape.request('/readyz')).status, 200);
      assert.equal(landscape.process.pid, pid);
      assert.doesNotMatch(landscape.process.output(), /a call failed|failed unexpectedly|Unhandled|FATAL/i);
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

function sumOf(text: string, name: string): number {
  const lines = text.split('\n').filter(line => line.startsWith(`${name} `) || line.startsWith(`${name}{`));
  assert.ok(lines.length > 0, `no ${name} in the metrics`);
  return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);
}
