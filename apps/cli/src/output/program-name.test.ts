import assert from 'node:assert/strict';
import { test } from 'node:test';
import { namingProgram, programName } from './program-name.ts';

for (const [argv, expected] of [
  [['/opt/bin/chandlery'], 'chandlery'],
  [['/opt/bin/chandlery-1.2', 'status'], 'chandlery-1.2'],
  [['/usr/bin/node', '/home/ann/app/node_modules/chandlery/bin/chandlery.mjs'], 'npx chandlery'],
  [['/usr/bin/node', '/home/ann/app/node_modules/.bin/chandlery'], 'npx chandlery'],
  [['/usr/bin/node', '/home/ann/chandlery/apps/cli/bin/chandlery.mjs'], 'npx chandlery'],
  [['/usr/bin/node', '/usr/local/lib/node_modules/chandlery/bin/chandlery.mjs'], 'chandlery'],
  [['/usr/local/bin/node', '/usr/local/bin/chandlery'], 'chandlery'],
] as const)
  test(`${argv.join(' ')} is called ${expected}`, () => assert.equal(programName(argv), expected));

test('the single executable runs a script that it has unpacked, and is called as it was typed', () => {
  const unpacked = '/root/.cache/chandlery/0.1.0';
  const argv = [`${unpacked}/bin/node`, `${unpacked}/bin/chandlery.mjs`, 'status'];
  assert.equal(programName(argv, './chandlery'), 'chandlery');
});

test('texts name the program as it was started, data stays as it is', () => {
  const written: string[] = [];
  const output = { write: (text: string | Uint8Array) => written.push(String(text)), isTTY: true };
  namingProgram(output, 'chandlery', ['status']).write('Next: npx chandlery status');
  namingProgram(output, 'chandlery', ['get', 'x', '-o', 'json']).write('npx chandlery');
  namingProgram(output, 'npx chandlery', []).write('npx chandlery');
  assert.deepEqual(written, ['Next: chandlery status', 'npx chandlery', 'npx chandlery']);
  assert.equal(namingProgram(output, 'chandlery', []).isTTY, true);
});
