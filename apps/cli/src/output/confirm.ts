import { ChandleryError } from '@chandlery/api';
import type { Flag } from '../args/flags.ts';
import type { CommandContext } from '../command.ts';
import { listenForStop } from '../landscape/stop-signal.ts';
import { readLine } from '../service-manager/read-input.ts';

/** The flag that answers prompts. */
export const yesFlag = {
  yes: { type: 'switch', short: 'y', about: 'Do not ask. Needed where no one can be asked.' },
} as const satisfies Record<string, Flag>;

/** What is about to be deleted. */
export interface Deletion {
  /** What people call it: `the service broker "pg"`. */
  readonly what: string;
  /** What must be typed: its name. */
  readonly expected: string;
  /** What is deleted with it, a line each. Default: nothing. */
  readonly goesWith?: () => Promise<readonly string[]>;
  /** Whether scripts must say `--yes`. Default true. */
  readonly isPrecious?: boolean;
}

/**
 * Asks for the name of what is deleted, on a terminal, after it has listed what goes with it. Where no one can be asked,
 * `--yes` is needed. Rejects with `NotConfirmed`.
 */
export async function confirmDeletion(context: CommandContext, deletion: Deletion): Promise<void> {
  const { what, expected, goesWith, isPrecious = true } = deletion;
  if (context.flags.isOn('yes')) return;
  if (context.isInteractive !== true) {
    if (isPrecious) throw unanswered(`deletes ${what}`);
    return;
  }
  const lines = (await goesWith?.()) ?? [];
  if (lines.length > 0) context.stderr.write(`With ${what} go:\n${lines.map(line => `  ${line}\n`).join('')}`);
  context.stderr.write(`Delete ${what}? Type "${expected}" to confirm: `);
  const answer = await answerTo(context, 'nothing was deleted');
  if (answer !== expected) throw notConfirmed(`Type "${expected}"`);
}

/** Asks for a yes, on a terminal; elsewhere `--yes` is needed. Rejects with `NotConfirmed`. */
export async function confirm(context: CommandContext, question: string): Promise<void> {
  if (context.flags.isOn('yes')) return;
  if (context.isInteractive !== true) throw unanswered('asks first');
  context.stderr.write(`${question} [y/N] `);
  const answer = await answerTo(context, 'nothing was changed');
  if (!/^y(es)?$/i.test(answer)) throw notConfirmed('Answer y');
}

/** Ctrl-C is an answer too: `outcome` says what it means. */
async function answerTo(context: CommandContext, outcome: string): Promise<string> {
  using stop = listenForStop();
  try {
    const answer = await readLine(context, stop.signal);
    // On a terminal the typed newline ends the line; elsewhere it is written here.
    if (context.stderr.isTTY !== true) context.stderr.write('\n');
    return answer;
  } catch (thrown) {
    if (!stop.signal.aborted) throw thrown;
    context.stderr.write('\n');
    throw new ChandleryError('Interrupted', `you stopped it at the prompt; ${outcome}`, {
      hint: 'Run it again when you are sure; --yes (-y) skips the prompt.',
    });
  }
}

const notConfirmed = (how: string): ChandleryError =>
  new ChandleryError('NotConfirmed', 'it was not confirmed', { hint: `${how}, or skip the prompt with --yes (-y).` });

const unanswered = (does: string): ChandleryError =>
  new ChandleryError('NotConfirmed', `this command ${does}, and no one can be asked here`, {
    hint: 'Confirm it with --yes (-y).',
  });
