import { type ChandleryError, toError } from '@chandlery/api';
import { isUsageError } from '../args/usage-error.ts';
import type { Command, Io } from '../command.ts';
import { errorCatalogue } from '../help/error-catalogue.ts';
import { colour } from './colour.ts';

/** Exit codes, which scripts rely on. */
export const exitCodes = { ok: 0, failure: 1, usage: 2, interrupted: 130 } as const;

/** What was being done when something was thrown. */
export interface Attempt {
  readonly command?: Command;
  readonly args: readonly string[];
}

/** Prints to stderr what failed, why, what to do, and the stable code that scripts and `explain error` know. */
export function reportError(thrown: unknown, attempt: Attempt, { stderr, env }: Io): number {
  const error = toError(thrown);
  const isUsage = isUsageError(thrown);
  const { name } = attempt.command ?? {};
  const ran = `run "chandlery${name === undefined ? '' : ` ${name}`}"`;
  const goal = isUsage ? ran : (attempt.command?.goal?.(attempt.args) ?? ran);
  const code = codeOf(error);
  const help = `See "npx chandlery help${name === undefined ? '' : ` ${name}`}".`;
  // The help of the command is more specific than what the table says about all mistakes in a command line.
  const next = error.hint ?? (isUsage ? undefined : errorCatalogue[code]?.next) ?? help;
  stderr.write(`${colour('Error:', 'red', stderr, env)} cannot ${oneLine(goal)}\n`);
  stderr.write(`Why:   ${oneLine(error.message)}\n`);
  stderr.write(`Next:  ${oneLine(next)}\n`);
  stderr.write(`Code:  ${code}\n`);
  if (error.code === 'Interrupted') return exitCodes.interrupted;
  return isUsage ? exitCodes.usage : (attempt.command?.failureCode ?? exitCodes.failure);
}

/** Errors of the system keep their code inside. */
function codeOf({ code, cause }: ChandleryError): string {
  const { code: systemCode } = (cause ?? {}) as NodeJS.ErrnoException;
  return code === 'InternalError' && typeof systemCode === 'string' ? systemCode : code;
}

/** Whatever was said, in one line. */
export const oneLine = (text: string): string => text.trim().replace(/\s*\n\s*/g, '; ');
