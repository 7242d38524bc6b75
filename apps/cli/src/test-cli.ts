import { Readable } from 'node:stream';
import { main } from './main.ts';

/** What a run of the command line left behind. */
export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

interface RunOptions {
  readonly cwd?: string;
  readonly env?: Record<string, string>;
  readonly isTTY?: boolean;
  /** What is piped in. Default: nothing. */
  readonly stdin?: string;
  /** Whether prompts can be answered. Default false. */
  readonly isInteractive?: boolean;
}

/** Runs the command line in a folder, without the environment of the test. */
export async function runCli(
  args: readonly string[],
  { cwd = '/', env = {}, isTTY = false, stdin, isInteractive = false }: RunOptions = {},
): Promise<Ran> {
  const written = { stdout: '', stderr: '' };
  const output = (name: 'stdout' | 'stderr') => ({
    isTTY,
    write: (text: string | Uint8Array): void => {
      written[name] += typeof text === 'string' ? text : Buffer.from(text).toString();
    },
  });
  const openStdin = (): AsyncIterable<string> => Readable.from(stdin === undefined ? [] : [stdin]);
  const io = { stdout: output('stdout'), stderr: output('stderr'), env, cwd, openStdin, isInteractive };
  const code = await main(args, io);
  return { code, ...written };
}
