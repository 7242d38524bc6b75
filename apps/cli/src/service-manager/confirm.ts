import { ChandleryError } from '@chandlery/api';
import type { CommandContext } from '../command.ts';
import { readLine } from './read-input.ts';

/** Asks whether somebody is sure, unless they have said --force. Rejects with `NotConfirmed`. */
export async function confirm(context: CommandContext, question: string): Promise<void> {
  if (context.flags.isOn('force')) return;
  await askWhether(context, question, '--force (-f)');
}

/** Asks whether somebody is sure; `flag` is what skips the question. Rejects with `NotConfirmed`. */
export async function askWhether(context: CommandContext, question: string, flag: string): Promise<void> {
  context.stderr.write(`${question} [y/N] `);
  const answer = await readLine(context);
  // On a terminal the line ends with what is typed there; elsewhere nobody ends it.
  if (context.stderr.isTTY !== true) context.stderr.write('\n');
  if (/^y(es)?$/i.test(answer)) return;
  throw new ChandleryError('NotConfirmed', 'it was not confirmed', {
    hint: `Answer y, or do not be asked with ${flag}.`,
  });
}
