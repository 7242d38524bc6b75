import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { tempFolder } from '@chandlery/testing';

const launcher = fileURLToPath(new URL('../../bin/launch.mjs', import.meta.url));

/** Runs until it is stopped, and says so. */
const program = `
export async function main() {
  const timer = setInterval(() => {}, 1000);
  process.once('SIGTERM', () => { clearInterval(timer); console.log('stopped'); });
  console.log('started');
  return 0;
}`;

test('a command that npx has started stops when npx does, although its shell passes no signal on', async () => {
  await using folder = await tempFolder();
  await writeFile(folder.join('program.mjs'), program);
  const command = `import { launch } from '${launcher}';
await launch('boat', () => new URL('./program.mjs', import.meta.url).href, '${folder.join('cache')}');`;
  await writeFile(folder.join('boat.mjs'), command);
  const shell = spawn('sh', ['-c', `'${process.execPath}' '${folder.join('boat.mjs')}'; true`], {
    env: { ...process.env, npm_command: 'exec' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let printed = '';
  for await (const chunk of shell.stdout.setEncoding('utf8')) {
    printed += String(chunk);
    if (printed === 'started\n') shell.kill('SIGTERM');
  }
  assert.equal(printed, 'started\nstopped\n');
  if (shell.exitCode === null && shell.signalCode === null) await once(shell, 'exit');
  assert.equal(shell.signalCode, 'SIGTERM');
});
