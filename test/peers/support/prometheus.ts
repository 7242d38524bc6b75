import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { MeasuredSample } from '@chandlery/fleet';
import { eventually, freePort, runProcess, startProcess, tempFolder } from '@chandlery/testing';

/** A Prometheus with a past. */
export interface Prometheus extends AsyncDisposable {
  readonly url: string;
}

const historySeconds = 180;
const intervalSeconds = 10;

/** Starts a Prometheus on loopback that has had samples of instances, by their ids, for the last minutes. */
export async function startPrometheus(
  program: string,
  instances: Readonly<Record<string, readonly MeasuredSample[]>>,
): Promise<Prometheus> {
  const folder = await tempFolder();
  const port = await freePort();
  await writeFile(folder.join('history'), history(instances));
  await writeFile(folder.join('prometheus.yml'), 'global: {}\n');
  await writeBlocks(join(dirname(program), 'promtool'), folder.join('history'), folder.join('data'));
  const flags = [
    `--config.file=${folder.join('prometheus.yml')}`,
    `--storage.tsdb.path=${folder.join('data')}`,
    `--web.listen-address=127.0.0.1:${port}`,
  ];
  const server = await startProcess(program, flags);
  const url = `http://127.0.0.1:${port}`;
  await eventually(async () => (await fetch(`${url}/-/ready`)).ok, { what: 'Prometheus', timeoutMs: 120_000 });
  return {
    url,
    async [Symbol.asyncDispose]() {
      await server.kill9();
      await folder[Symbol.asyncDispose]();
    },
  };
}

async function writeBlocks(promtool: string, history: string, data: string): Promise<void> {
  const { code, stdout, stderr } = await runProcess(promtool, [
    'tsdb',
    'create-blocks-from',
    'openmetrics',
    history,
    data,
  ]);
  if (code !== 0) throw new Error(`promtool failed: ${stdout}${stderr}`);
}

/** The samples of every moment as OpenMetrics text. */
function history(instances: Readonly<Record<string, readonly MeasuredSample[]>>): string {
  const now = Math.floor(Date.now() / 1000);
  const moments = Array.from(
    { length: historySeconds / intervalSeconds + 1 },
    (_, index) => now - historySeconds + index * intervalSeconds,
  );
  const lines = Object.entries(instances).flatMap(([instanceId, samples]) =>
    samples.flatMap(sample => moments.map(moment => line(instanceId, sample, moment))),
  );
  return `${lines.join('\n')}\n# EOF\n`;
}

function line(instanceId: string, { metric, value }: MeasuredSample, seconds: number): string {
  const { __name__: name, ...labels } = metric;
  const pairs = Object.entries({ ...labels, namespace: `dinosaur-${instanceId}` });
  return `${name}{${pairs.map(([label, text]) => `${label}="${text}"`).join(',')}} ${value} ${seconds}`;
}
