import { ChandleryError } from '@chandlery/api';
import type { CommandContext } from '../command.ts';
import { readLine } from '../service-manager/read-input.ts';

/** Asks for confirmation unless --force is set. Rejects with `NotConfirmed`. */
export async function confirm(context: CommandContext, question: string): Promise<void> {
  if (context.flags.isOn('force')) return;
  await askWhether(context, question, '--force (-f)');
}

/** Asks for a text that must be typed exactly. Rejects with `NotConfirmed`. */
export async function askForName(context: CommandContext, question: string, expected: string): Promise<void> {
  context.stderr.write(`${question} `);
  const answer = await readLine(context);
  if (context.stderr.isTTY !== true) context.stderr.write('\n');
  if (answer === expected) return;
  throw new ChandleryError('NotConfirmed', 'it was not confirmed', {
    hint: `Type "${expected}", or skip the prompt with --yes (-y).`,
  });
}

/** Asks for confirmation; `flag` is the flag that skips the prompt. Rejects with `NotConfirmed`. */
export async function askWhether(context: CommandContext, question: string, flag: string): Promise<void> {
  context.stderr.write(`${question} [y/N] `);
  const answer = await readLine(context);
  // On a terminal the typed newline ends the line; elsewhere it is written here.
  if (context.stderr.isTTY !== true) context.stderr.write('\n');
  if (/^y(es)?$/i.test(answer)) return;
  throw new ChandleryError('NotConfirmed', 'it was not confirmed', {
    hint: `Answer y, or skip the prompt with ${flag}.`,
  });
}
