import { spawn } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';

/** One thing that must hold for the whole tree. */
interface Check {
  readonly name: string;
  readonly command: readonly [string, ...string[]];
}

/** What to check. */
export interface CheckOptions {
  readonly root: string;
  /** Format and sort imports instead of only complaining. Default: false. */
  readonly fix?: boolean;
}

/** Long ones first, so that two at a time end together. */
const checks = ({ fix = false }: CheckOptions): readonly Check[] => [
  { name: 'types and lint', command: ['oxlint', '--deny-warnings', ...(fix ? ['--fix'] : []), '.'] },
  { name: 'imports', command: ['node', 'tools/check/imports.ts'] },
  { name: 'unused', command: ['knip', '--no-progress', '--no-config-hints'] },
  { name: 'words', command: ['node', 'tools/check/words.ts'] },
];

const format = ({ fix = false }: CheckOptions): Check => ({
  name: 'format',
  command: ['biome', 'check', '--error-on-warnings', ...(fix ? ['--write'] : []), '.'],
});

/** Runs all checks, a line for each and the whole output of those that fail. Returns whether all is well. */
export async function runChecks(options: CheckOptions): Promise<boolean> {
  console.log('checks');
  // Formatting first and alone: with `fix` it changes the files that the others read.
  const results = [await runCheck(format(options), options.root)];
  const waiting = [...checks(options)];
  const runNext = async (): Promise<void> => {
    for (let check = waiting.shift(); check !== undefined; check = waiting.shift()) {
      results.push(await runCheck(check, options.root));
    }
  };
  await Promise.all([runNext(), runNext()]);
  return results.every(isFine => isFine);
}

async function runCheck({ name, command: [program, ...args] }: Check, root: string): Promise<boolean> {
  const start = performance.now();
  const child = spawn(program, args, { cwd: root, env: environment(root), stdio: ['ignore', 'pipe', 'pipe'] });
  const code = new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (status: number | null) => resolve(status ?? 1));
  });
  const [stdout, stderr, status] = await Promise.all([text(child.stdout), text(child.stderr), code]);
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  console.log(`  ${status === 0 ? 'ok    ' : 'FAILED'}  ${name}  (${seconds} s)`);
  if (status !== 0) console.log(`${stdout}${stderr}`.trimEnd().replaceAll(/^/gm, '    '));
  return status === 0;
}

/** The tools and the Node.js of this repository, also when started without npm. */
function environment(root: string): NodeJS.ProcessEnv {
  const path = [join(root, 'node_modules/.bin'), process.env.PATH].join(delimiter);
  return { ...process.env, PATH: path, NODE_COMPILE_CACHE: join(root, '.cache/compiled'), NODE_OPTIONS: '' };
}
