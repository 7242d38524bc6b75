import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChandleryError } from '@chandlery/api';
import { buildVersion } from '../build/build-info.ts';
import { type Program, runProgram } from './run-program.ts';

async function ran(argv: readonly string[], run: Program['run'] = () => Promise.resolve(undefined)) {
  const printed = { out: '', error: '' };
  const print = {
    out: (text: string) => void (printed.out += text),
    error: (text: string) => void (printed.error += text),
  };
  const code = await runProgram(argv, { name: 'boat', help: () => 'Usage: boat', run, print });
  return { code, ...printed };
}

const failing = (code: string, hint?: string) => () =>
  Promise.reject(new ChandleryError(code, 'the mast broke', hint === undefined ? {} : { hint }));

test('a program prints its help and its version', async () => {
  for (const flag of ['--help', '-h']) assert.deepEqual(await ran([flag]), { code: 0, out: 'Usage: boat', error: '' });
  for (const flag of ['--version', '-v'])
    assert.deepEqual(await ran([flag]), { code: 0, out: buildVersion, error: '' });
});

test('a program that runs on has no exit code yet', async () => {
  assert.deepEqual(await ran([]), { code: undefined, out: '', error: '' });
});

test('a failure says what, why and what next; a mistake in the flags ends with 2', async () => {
  assert.deepEqual(await ran([], failing('PortTaken', 'Choose another port.')), {
    code: 1,
    out: '',
    error: 'Error: cannot run boat\nWhy:   the mast broke\nNext:  Choose another port.\nCode:  PortTaken',
  });
  const mistaken = await ran(['--x'], failing('UnknownOption'));
  assert.deepEqual([mistaken.code, mistaken.error.split('\n')[2]], [2, 'Next:  See "boat --help".']);
});
