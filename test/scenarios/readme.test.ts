import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { tempFolder } from '@chandlery/testing';
import { processesOf } from './support/processes.ts';
import { blocksIn, Terminal } from './support/terminal.ts';

const root = join(import.meta.dirname, '../..');

/** The shell commands of a section of the README, block by block, without the one that starts the server. */
async function commandsOf(heading: string): Promise<string[]> {
  const readme = await readFile(join(root, 'README.md'), 'utf8');
  const section = readme.split(/^## /m).find(text => text.startsWith(`${heading}\n`)) ?? assert.fail(heading);
  return blocksIn(section).filter(block => block.trim() !== 'npm start');
}

test("the README's first minute works as written", async () => {
  await using folder = await tempFolder();
  await using terminal = await Terminal.open(folder.path);
  const blocks = await commandsOf('The first minute');
  assert.equal(blocks.length, 4);
  const { stdout, stderr } = await terminal.type(...blocks);

  const output = `${stdout}\n${stderr}`;
  for (const expected of [
    /serviceprovider\.openmcp\.cloud\/postgres created/,
    /serviceprovider\.openmcp\.cloud\/postgres condition met/,
    /postgresdatabase\S*\/shop condition met/,
    /PostgreSQL 17\.\d+ on/,
    /PostgresDatabase\/shop \(default\) +✔ ready/,
    /Deployment\/postgres-17 \(postgres-servers\) +✔ ready +workload/,
    /^urn:ivcap:service:\S+ created$/m,
    /^urn:ivcap:order:\S+ succeeded$/m,
    /^Hello, Ann!$/m,
    /customresourcedefinition.*boats\.harbour\.example\.com created/,
    /boat\.harbour\.example\.com\/marie created/,
    /marie\s+12\s+sloop/,
    /spec\.rig: Unsupported value: "galleon": supported values: "sloop", "ketch", "yawl"/,
    /my-team.*deleted/i,
    /postgresdatabase\S* "shop" deleted/,
    /serviceprovider\S* "postgres" deleted/,
  ]) {
    assert.match(output, expected);
  }
  assert.deepEqual(await processesOf(terminal.server.pid), []);
  await terminal.server.stop();
});

const hasCurl = spawnSync('curl', ['--version']).status === 0;

test("the README's fleet in three commands works as written", { skip: !hasCurl && 'there is no curl' }, async () => {
  await using folder = await tempFolder();
  await using terminal = await Terminal.open(folder.path);
  const blocks = await commandsOf('The fleet in three commands');
  assert.equal(blocks.join('').trim().split('\n').length, 3);
  const output = await terminal.run(...blocks);
  assert.match(output, /^fleetinstance\.fleet\.chandlery\.io\/\w{20} created \(ready\)$/m);
  assert.match(output, /^\{"name":"rex","version":"[\d.]+".*"visits":1/m);
  assert.match(output, /fleetinstance\.fleet\.chandlery\.io\/\w{20} deleted$/m);
  await terminal.server.stop();
});
