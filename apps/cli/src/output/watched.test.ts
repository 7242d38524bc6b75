import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import { ChandleryError } from '@chandlery/api';
import { eventually } from '@chandlery/testing';
import type { Command, CommandContext } from '../command.ts';
import { watched } from './watched.ts';

const command = (run: Command['run']): Command => ({
  name: 'state',
  summary: 'Show a state',
  usage: '[flags]',
  examples: ['chandlery state'],
  options: {},
  run,
});

function contextWith(written: string[], isWatching: boolean): CommandContext {
  const write = (text: string | Uint8Array): number => written.push(String(text));
  const flags = { text: () => undefined, texts: () => [], isOn: (name: string) => isWatching && name === 'watch' };
  return { stdout: { write }, stderr: { write }, env: {}, cwd: '/', args: [], flags, rawArgs: [], commands: [] };
}

test('a state is shown again when it has changed, also after a failure, until a signal, which ends it with 130', async () => {
  const states = ['one\n', 'one\n', new ChandleryError('Timeout', 'no response'), 'two\n'];
  let shown = 0;
  const written: string[] = [];
  const watching = watched(
    command(async ({ stdout }) => {
      const state = states[Math.min(shown++, states.length - 1)] ?? '';
      if (state instanceof Error) throw state;
      stdout.write(state);
      return Promise.resolve(0);
    }),
  ).run(contextWith(written, true));
  await eventually(() => written.length === 3, { timeoutMs: 20_000, what: 'all states to be shown' });
  process.emit('SIGTERM');
  assert.equal(await watching, 130);
  assert.deepEqual(written, ['one\n', '\nno response\n', '\ntwo\n']);
});

test('keys end it: q with 0, Ctrl-C with 130', async () => {
  for (const [key, code] of [
    ['q', 0],
    ['\u0003', 130],
  ] as const) {
    const keyboard = new EventEmitter();
    const onKey = (listener: (pressed: string) => void): Disposable => {
      keyboard.on('key', listener);
      return { [Symbol.dispose]: () => void keyboard.off('key', listener) };
    };
    const written: string[] = [];
    const watching = watched(command(({ stdout }) => Promise.resolve(Number(stdout.write('on\n'))))).run({
      ...contextWith(written, true),
      onKey,
    });
    await eventually(() => written.length === 1, { timeoutMs: 20_000, what: 'the state to be shown' });
    keyboard.emit('key', 'x');
    keyboard.emit('key', key);
    assert.equal(await watching, code, JSON.stringify(key));
    assert.equal(keyboard.listenerCount('key'), 0);
  }
});

test('a first failure ends it, and without the flag it is shown once', async () => {
  const failing = watched(command(() => Promise.reject(new ChandleryError('Forbidden', 'no right'))));
  await assert.rejects(failing.run(contextWith([], true)), { code: 'Forbidden' });
  const written: string[] = [];
  const once = watched(command(async ({ stdout }) => Number(stdout.write('once\n')) - 1));
  assert.equal(await once.run(contextWith(written, false)), 0);
  assert.deepEqual(written, ['once\n']);
});
