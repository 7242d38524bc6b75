import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { tempFolder } from '@chandlery/testing';
import { readableLine } from '../readable-line.ts';
import { effectOf } from './effect-of.ts';
import { watchFolder } from './watch-folder.ts';

describe('A folder that is being developed', () => {
  const effects = [
    [['provider.ts'], 'everything'],
    [['install.yaml'], 'everything'],
    [['config.yaml'], 'config'],
    [['config.yaml', 'provider.test.ts'], 'config'],
    [['order.yaml', 'README.md', 'provider.test.ts'], 'nothing'],
  ] as const;
  for (const [files, effect] of effects) {
    it(`${files.join(', ')}: ${effect}`, () => assert.equal(effectOf(files), effect));
  }

  it('reports changed sources together, and not what programs write into it', async () => {
    await using folder = await tempFolder();
    await mkdir(folder.join('node_modules'));
    using changes = watchFolder(folder.path);
    const { signal } = new AbortController();
    for (const file of ['b.ts', 'run.log', 'a.yaml', 'node_modules/c.js', '.d.ts'])
      await writeFile(folder.join(file), '1');
    assert.deepEqual(await changes.next(signal), ['a.yaml', 'b.ts']);
    assert.equal(await changes.next(AbortSignal.abort()), undefined);
  });

  it('shows its log with the own frames of errors', () => {
    const stack = [
      'TypeError: kaboom',
      '    at desired (file:///srv/ice/provider.ts:42:11)',
      '    at desiredOf (/srv/ice/node_modules/@chandlery/sdk/index.js:1:1)',
      '    at withSpan (file:///srv/chandlery/packages/platform/src/tracing/tracer.ts:55:60)',
      '    at node:internal/process:1:1',
    ].join('\n');
    assert.equal(
      readableLine(JSON.stringify({ level: 'warn', message: 'cannot reconcile: kaboom', stack })),
      'warn: cannot reconcile: kaboom\n    at desired (file:///srv/ice/provider.ts:42:11)',
    );
    const written = { level: 'info', message: 'a managed object was written', key: 'default/first', what: 'Pod "x"' };
    assert.equal(readableLine(JSON.stringify(written)), 'info: a managed object was written (Pod "x", default/first)');
    const error = { message: 'access was denied' };
    assert.equal(
      readableLine(JSON.stringify({ level: 'error', message: 'cannot start', error })),
      'error: cannot start\naccess was denied',
    );
    assert.equal(readableLine('{ not JSON'), '{ not JSON');
  });
});
