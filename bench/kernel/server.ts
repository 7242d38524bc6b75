import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePorts, type RunningProcess, startProcess } from '@chandlery/testing';
import { cpuSeconds } from './process-usage.ts';

/** The real server in a process of its own. */
export interface BenchServer extends AsyncDisposable {
  readonly url: string;
  readonly pid: number;
  readonly token: string;
  readonly ca: string;
  readonly dataDir: string;
  cpuSeconds(): Promise<number>;
  /** Bytes in use after garbage has been collected, and how long the main thread was held since the call before. */
  memory(): Promise<NodeJS.MemoryUsage & { readonly longestHoldMs: number }>;
}

/** How the server is started: the file and Node's own flags before it. */
const measured = ['--expose-gc', join(import.meta.dirname, 'server-process.ts')];
export const asUsersDo: readonly string[] = [join(import.meta.dirname, '../../apps/cli/bin/chandlery.mjs'), 'up'];

/** Starts the server on free ports of 127.0.0.1 and waits until it is ready. */
export async function startServer(dataDir: string, command: readonly string[] = measured): Promise<BenchServer> {
  const [port = 0, xdsPort = 0] = await freePorts(2);
  const flags = ['--data-dir', dataDir, '--port', String(port), '--xds-port', String(xdsPort), '--log-level', 'warn'];
  const running = await startProcess(process.execPath, [...command, ...flags], {
    ready: /is ready\./,
    readyTimeoutMs: 60_000,
  });
  return {
    url: `https://127.0.0.1:${port}`,
    pid: running.pid,
    dataDir,
    token: (await readFile(join(dataDir, 'admin.token'), 'utf8')).trim(),
    ca: await readFile(join(dataDir, 'ca.crt'), 'utf8'),
    cpuSeconds: () => cpuSeconds(running.pid),
    memory: () => askMemory(running),
    [Symbol.asyncDispose]: async () => void (await running.stop()),
  };
}

async function askMemory(running: RunningProcess): ReturnType<BenchServer['memory']> {
  const answers = (): string[] => running.stdout().match(/^memory .*\n/gm) ?? [];
  const before = answers().length;
  running.signal('SIGUSR2');
  await running.waitForOutput(() => answers().length > before, 30_000);
  return JSON.parse((answers().at(-1) ?? '').slice('memory '.length)) as Awaited<ReturnType<BenchServer['memory']>>;
}
