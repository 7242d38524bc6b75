import assert from 'node:assert/strict';
import { addAbortSignal, Readable } from 'node:stream';
import { test } from 'node:test';
import { eventually } from '@chandlery/testing';
import type { CommandContext } from '../command.ts';
import { confirm, confirmDeletion } from './confirm.ts';
import { reportError } from './report-error.ts';

const prompts = [
  {
    why: 'a deletion',
    ask: (context: CommandContext) => confirmDeletion(context, { what: 'the cluster "a"', expected: 'a' }),
    outcome: 'nothing was deleted',
  },
  {
    why: 'a question',
    ask: (context: CommandContext) => confirm(context, 'Rotate?'),
    outcome: 'nothing was changed',
  },
] as const;

for (const { why, ask, outcome } of prompts)
  test(`Ctrl-C at the prompt of ${why} ends with 130 and says that ${outcome}`, async () => {
    let written = '';
    const output = { write: (text: string | Uint8Array) => (written += String(text)) };
    const silent = new Readable({ read: () => undefined });
    const context: CommandContext = {
      ...{ stdout: output, stderr: output, env: {}, cwd: '/', args: [], rawArgs: [], commands: [] },
      flags: { text: () => undefined, texts: () => [], isOn: () => false },
      isInteractive: true,
      openStdin: signal => (signal === undefined ? silent : addAbortSignal(signal, silent)),
    };
    const asked = ask(context).then(
      () => 0,
      thrown => reportError(thrown, { args: [] }, context),
    );
    await eventually(() => process.listenerCount('SIGINT') > 0, { timeoutMs: 20_000, what: 'the prompt' });
    process.emit('SIGINT');
    assert.equal(await asked, 130);
    assert.match(written, new RegExp(`Why:   you stopped it at the prompt; ${outcome}\\n`));
    assert.equal(silent.destroyed, true, 'an open input would keep the process alive');
  });
