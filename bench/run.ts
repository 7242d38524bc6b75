// `npm run bench -- <name> [arguments]`: runs bench/<name>/index.ts; without a name lists them.
import { spawn } from 'node:child_process';
import { globSync } from 'node:fs';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';

const folder = import.meta.dirname;
const [name, ...args] = process.argv.slice(2);

function benchNames(): string[] {
  return globSync('*/index.ts', { cwd: folder })
    .map(file => dirname(file))
    .sort();
}

/** A process of its own: nothing of this one shows in the measurement. */
function runBench(file: string): void {
  const child = spawn(process.execPath, ['--expose-gc', file, ...args], { stdio: 'inherit' });
  // A terminal interrupts both of us; what is sent to us alone is passed on.
  for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal));
  process.on('SIGINT', () => undefined);
  child.once('exit', (code, signal) => {
    process.exitCode = signal === null ? (code ?? 1) : 128 + constants.signals[signal];
  });
}

if (name !== undefined && benchNames().includes(name)) {
  runBench(join(folder, name, 'index.ts'));
} else {
  if (name !== undefined) console.error(`There is no bench "${name}".`);
  const names = benchNames();
  console.log(
    names.length > 0
      ? `npm run bench -- <name>\n\n${names.map(each => `  ${each}`).join('\n')}`
      : 'There are no benches yet.',
  );
  process.exitCode = name === undefined ? 0 : 1;
}
