import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { type ProcessResult, runProcess, tempFolder } from '@chandlery/testing';

const runner = join(import.meta.dirname, '../test.ts');
const importTest = "import { test, describe, before, beforeEach } from 'node:test';\n";

/** Runs the runner on a small tree. */
async function runTests(files: Readonly<Record<string, string>>, ...args: string[]): Promise<ProcessResult> {
  await using folder = await tempFolder();
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(folder.join(path)), { recursive: true });
    await writeFile(folder.join(path), importTest + text);
  }
  return await runProcess(process.execPath, [runner, '--root', folder.path, '--no-check', ...args]);
}

const lastLine = ({ stdout }: ProcessResult): string | undefined => stdout.trimEnd().split('\n').at(-1);

const fine = "test('fine', () => {});";

const cases: readonly { why: string; files: Record<string, string>; ends: string; code: number; says?: RegExp }[] = [
  {
    why: 'tests in shared and in own processes are counted',
    files: {
      'packages/a/src/a.test.ts': `describe('group', () => { ${fine} test.skip('later', () => {}); });`,
      'packages/a/src/b.test.ts': fine,
      'test/story.test.ts': fine,
    },
    ends: '3 passed, 0 failed, 1 skipped',
    code: 0,
  },
  {
    why: 'tests with peers that are slow to fetch run on demand only',
    files: { 'test/a.test.ts': fine, 'test/b.peer.test.ts': fine },
    ends: '1 passed, 0 failed, 0 skipped',
    code: 0,
  },
  {
    why: 'the reason why tests are skipped is shown once',
    files: {
      'test/a.test.ts': `${fine} for (const name of ['x', 'y']) test(name, { skip: 'no peer here' }, () => {});`,
    },
    ends: '1 passed, 0 failed, 2 skipped',
    code: 0,
    says: /test\/a\.test\.ts {2}\(1 passed, 2 skipped[^\n]*\n {4}skipped: no peer here\n(?!.*no peer)/,
  },
  {
    why: 'a failing test fails the run and is shown',
    files: {
      'packages/a.test.ts': `${fine} describe('group', () => test('bad', () => { console.log('hint'); throw new Error('wrong'); }));`,
    },
    ends: '1 passed, 1 failed, 0 skipped',
    code: 1,
    says: /FAILED {2}packages\/a\.test\.ts[^]*group › bad[^]*Error: wrong[^]*hint/,
  },
  {
    why: 'a file without a test fails',
    files: { 'packages/a.test.ts': fine, 'packages/b.test.ts': '' },
    ends: '1 passed, 1 failed, 0 skipped',
    code: 1,
    says: /packages\/b\.test\.ts[^]*no test at all/,
  },
  { why: 'no test at all fails', files: {}, ends: '0 passed, 0 failed, 0 skipped', code: 1, says: /no test ran/ },
  {
    why: 'a file that cannot be loaded fails and the others still run',
    files: { 'packages/a.test.ts': "import './nowhere.ts';", 'packages/b.test.ts': fine, 'packages/c.test.ts': fine },
    ends: '2 passed, 1 failed, 0 skipped',
    code: 1,
    says: /Cannot find module/,
  },
  {
    why: 'a file that ends the process fails and the others still run',
    files: {
      'packages/a.test.ts': "test('exits', () => process.exit(0));",
      'packages/b.test.ts': fine,
      'packages/c.test.ts': fine,
    },
    ends: '2 passed, 1 failed, 0 skipped',
    code: 1,
    says: /packages\/a\.test\.ts[^]*ended early with code 0/,
  },
  {
    why: 'an error after the end of its test fails',
    files: {
      'packages/a.test.ts':
        "test('late', () => { setTimeout(() => { throw new Error('too late'); }, 10); }); test('next', () => new Promise(done => setTimeout(done, 200)));",
    },
    ends: '2 passed, 1 failed, 0 skipped',
    code: 1,
    says: /too late/,
  },
  {
    why: 'hooks of one file do not reach the tests of another',
    files: {
      'packages/a.test.ts': `beforeEach(() => { throw new Error('hook'); }); ${fine}`,
      'packages/b.test.ts': fine,
      'packages/c.test.ts': fine,
    },
    ends: '2 passed, 1 failed, 0 skipped',
    code: 1,
  },
];

for (const { why, files, ends, code, says = /tests/ } of cases) {
  test(`npm test: ${why}`, async () => {
    const result = await runTests(files);
    assert.equal(lastLine(result), ends, result.stdout);
    assert.equal(result.code, code);
    assert.match(result.stdout, says);
  });
}

test('npm test: a file that hangs is killed, has failed, and the others still run', async () => {
  const hangs = "test('hangs', () => new Promise(() => { setInterval(() => {}, 1000); }));";
  const files = { 'packages/a.test.ts': hangs, 'packages/b.test.ts': fine, 'packages/c.test.ts': fine };
  const result = await runTests(files, '--time-limit-s', '2');
  assert.equal(lastLine(result), '2 passed, 1 failed, 0 skipped', result.stdout);
  assert.match(result.stdout, /packages\/a\.test\.ts[^]*killed: not done after 2 s/);
});

test('npm test: a file that passes only alone is named', async () => {
  const fails = `import { existsSync, writeFileSync } from 'node:fs';
    const mark = new URL('ran', import.meta.url);
    test('unsteady', () => { if (!existsSync(mark)) { writeFileSync(mark, ''); throw new Error('first time'); } });`;
  const files = { 'packages/a.test.ts': fails, 'packages/b.test.ts': fine };
  const result = await runTests(files);
  assert.equal(lastLine(result), '2 passed, 0 failed, 0 skipped', result.stdout);
  assert.equal(result.code, 0);
  assert.match(result.stdout, /Error: first time[^]*once more, alone[^]*unsteady[^]*packages\/a\.test\.ts/);
});

test('npm test: words choose files and a name chooses tests', async () => {
  const files = { 'packages/a.test.ts': `${fine} test('other', () => {});`, 'packages/b.test.ts': fine };
  assert.equal(lastLine(await runTests(files, 'packages/a')), '2 passed, 0 failed, 0 skipped');
  assert.equal(lastLine(await runTests(files, '--name', 'other')), '1 passed, 0 failed, 0 skipped');
});

test('npm test: says how much CPU time a file and its processes used', {
  skip: process.platform !== 'linux',
}, async () => {
  const burn = 'for (const end = process.cpuUsage().user + 300_000; process.cpuUsage().user < end; );';
  const burnsInChild = `import { spawnSync } from 'node:child_process';
    test('child', () => { spawnSync(process.execPath, ['-e', ${JSON.stringify(burn)}]); });`;
  const { stdout } = await runTests({ 'packages/a.test.ts': burnsInChild, 'packages/b.test.ts': fine }, 'packages/a');
  const [, seconds] = /a\.test\.ts .*, ([\d.]+) s of CPU\)/.exec(stdout) ?? [];
  assert.ok(Number(seconds) >= 0.3, stdout);
});
