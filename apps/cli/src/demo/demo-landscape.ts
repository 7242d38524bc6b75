import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { ChandleryError } from '@chandlery/api';

/** A landscape that runs for the demonstration. */
export interface DemoLandscape {
  readonly dataDir: string;
  readonly url: string;
  /** The command that was run, as a user would write it. */
  readonly command: readonly string[];
  /** Resolves with the exit code when it has stopped by itself. */
  readonly stopped: Promise<number>;
  stop(): Promise<void>;
}

const readyTimeoutMs = 60_000;

/** Starts `chandlery up` in a process of its own, on free ports, and waits until it is ready. */
export async function startDemoLandscape(folder: string): Promise<DemoLandscape> {
  const dataDir = join(folder, 'data');
  const command = ['up', '--data-dir', dataDir, '--port', '0', '--xds-port', '0'];
  const quiet = ['--log-level', 'error'];
  const child = spawn(process.execPath, [process.argv[1] ?? '', ...command, ...quiet], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    // A terminal sends Ctrl-C to the whole group: the demonstration itself decides when the landscape stops.
    detached: true,
  });
  const stopped = once(child, 'exit').then(([code]) => Number(code ?? 1));
  const banner = await untilReady(child, stopped);
  return {
    dataDir,
    url: /https:\/\/[^/\s]+/.exec(banner)?.[0] ?? '',
    command,
    stopped,
    stop: async () => {
      child.kill('SIGTERM');
      await stopped;
    },
  };
}

/** Returns what it has printed until then. */
async function untilReady(child: ChildProcess, stopped: Promise<number>): Promise<string> {
  let said = '';
  const ready = new Promise<void>((resolve, reject) => {
    const timer = setTimeout(
      () => reject(notReady(`it was not ready after ${readyTimeoutMs / 1000} s`)),
      readyTimeoutMs,
    );
    const listen = (chunk: Buffer): void => {
      said += chunk.toString();
      if (!/is ready\.[\s\S]*Stop:/.test(said)) return;
      clearTimeout(timer);
      resolve();
    };
    child.stdout?.on('data', listen);
    child.stderr?.on('data', listen);
  });
  const ended = stopped.then(code => {
    throw notReady(`it ended with ${code}: ${said.trim()}`);
  });
  try {
    await Promise.race([ready, ended]);
  } catch (thrown) {
    child.kill('SIGKILL');
    throw thrown;
  }
  ended.catch(() => undefined);
  return said;
}

const notReady = (why: string): ChandleryError =>
  new ChandleryError('NotReady', `the landscape does not start: ${why}`, {
    hint: '"npx chandlery up" shows more.',
  });
