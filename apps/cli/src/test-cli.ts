import { main } from './main.ts';

/** What a run of the command line left behind. */
export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the command line in a folder, without the environment of the test. */
export async function runCli(
  args: readonly string[],
  { cwd = '/', env = {}, isTTY = false }: { cwd?: string; env?: Record<string, string>; isTTY?: boolean } = {},
): Promise<Ran> {
  const written = { stdout: '', stderr: '' };
  const output = (name: 'stdout' | 'stderr') => ({
    isTTY,
    write: (text: string): void => {
      written[name] += text;
    },
  });
  const code = await main(args, { stdout: output('stdout'), stderr: output('stderr'), env, cwd });
  return { code, ...written };
}
