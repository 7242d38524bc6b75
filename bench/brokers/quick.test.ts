import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { runProcess } from '@chandlery/testing';

const bench = join(import.meta.dirname, 'index.ts');

test('a quick run of the brokers bench asks over every way and tells proxies', async () => {
  const { code, stdout, stderr } = await runProcess(process.execPath, ['--expose-gc', bench, '--quick'], {
    timeoutMs: 180_000,
  });
  assert.equal(code, 0, stderr);
  for (const title of ['Catalog', 'Last operation (passed through)', 'Provision (durable)', 'Bind (durable)']) {
    const section = sectionOf(stdout, `${title}, 4 at a time`);
    for (const way of ['direct', 'bare Node proxy', 'Chandlery, SQLite']) {
      const numbers = String.raw`[\d.,]+ +[\d.,]+ ×  +[\d.,]+ µs(  +[\d.,]+ ms){4}  +-?[\d.,]+ ms`;
      assert.match(section, new RegExp(`^  ${way} +${numbers}$`, 'm'));
    }
    assert.match(
      section,
      /^ {2}(met {3}|MISSED) {2}Chandlery, SQLite, added at half load, p50: -?[\d.,]+ ms \(≤ 1 ms\)$/m,
    );
  }
  assert.match(stdout, /^ {2}(met {3}|MISSED) {2}Catalog.* throughput of the bare proxy: [\d.,]+ × \(≥ 2 ×\)$/m);
  assert.match(stdout, /^ {2}Chandlery, SQLite: from the request to the last proxy( +[\d.,]+ ms){3}$/m);
});

/** From its title to the empty line after it. */
function sectionOf(stdout: string, title: string): string {
  const start = stdout.indexOf(title);
  assert.notEqual(start, -1, `there is no section "${title}"`);
  return stdout.slice(start, stdout.indexOf('\n\n', start));
}

test('a section that does not exist is refused with the names of those that do', async () => {
  const { code, stderr } = await runProcess(process.execPath, [bench, '--only', 'nonsense']);
  assert.equal(code, 1);
  assert.match(stderr, /there is no section "nonsense"\nuse one of catalog, last-operation,/);
});
