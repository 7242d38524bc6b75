import { setTimeout as sleep } from 'node:timers/promises';
import { isError, toError } from '@chandlery/api';
import type { Command, CommandContext } from '../command.ts';
import { listenForStop } from '../landscape/stop-signal.ts';
import { LiveScreen } from './live-screen.ts';

/** APIs without a watch are asked again after this pause. */
const pauseMs = 1000;

/** A command that shows a state, with a flag that shows it again whenever it changes. */
export const watched = (command: Command): Command => ({
  ...command,
  options: {
    ...command.options,
    watch: { type: 'switch', short: 'w', about: 'Show it again whenever it changes, until q or Ctrl-C.' },
  },
  run: context => (context.flags.isOn('watch') ? watch(context, command) : command.run(context)),
});

/** A terminal is drawn again in place; elsewhere every changed state follows the one before. */
async function watch(context: CommandContext, command: Command): Promise<number> {
  const { stdout } = context;
  const screen = stdout.isTTY === true ? new LiveScreen(stdout) : undefined;
  using stop = listenForStop(context);
  for (let last = ''; !stop.signal.aborted; await sleep(pauseMs, undefined, { signal: stop.signal }).catch(() => {})) {
    const text = await textOf(context, command, last === '');
    if (screen !== undefined) screen.draw(text);
    else if (text !== last) stdout.write(last === '' ? text : `\n${text}`);
    last = text;
  }
  return stop.exitCode;
}

/** What the command prints once. Later failures may pass: they are shown, and it is tried again. */
async function textOf(context: CommandContext, command: Command, isFirst: boolean): Promise<string> {
  let text = '';
  const write = (piece: string | Uint8Array): void => {
    text += typeof piece === 'string' ? piece : Buffer.from(piece).toString();
  };
  try {
    await command.run({ ...context, stdout: { ...sizeOf(context), write }, stderr: { write } });
  } catch (thrown) {
    if (isFirst || !isError(thrown)) throw thrown;
    text += `${toError(thrown).message}\n`;
  }
  return text;
}

const sizeOf = ({ stdout: { isTTY, rows, columns } }: CommandContext) => ({
  ...(isTTY === undefined ? {} : { isTTY }),
  ...(rows === undefined ? {} : { rows }),
  ...(columns === undefined ? {} : { columns }),
});
