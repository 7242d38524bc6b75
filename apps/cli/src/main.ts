import { findCommand } from './args/find-command.ts';
import { type Flag, parseFlags, tokensOf } from './args/flags.ts';
import { globalFlags } from './args/global-flags.ts';
import { usageError } from './args/usage-error.ts';
import type { Command, Io } from './command.ts';
import { commands } from './commands/index.ts';
import { helpFor } from './help/help-command.ts';
import { versionCommand } from './help/version-command.ts';
import { explainUnauthorized } from './landscape/explain-unauthorized.ts';
import { exitCodes, reportError } from './output/report-error.ts';

/** Runs a command line and returns the exit code: 0 success, 1 failure, 2 a mistake in the command line. */
export async function main(args: readonly string[], io: Io = processIo()): Promise<number> {
  let command: Command | undefined;
  let positionals: readonly string[] = [];
  try {
    const words = wordsOf(args);
    if (words.length === 0 && (args.includes('--version') || args.includes('-v')))
      return await run(versionCommand, [], io);
    if (wantsHelp(args) || args.length === 0) {
      io.stdout.write(helpFor(words.slice(0, 3), commands));
      return exitCodes.ok;
    }
    const found = findCommand(args, commands);
    command = found.command;
    positionals = wordsOf(found.rest, command.options);
    return await run(command, found.rest, io);
  } catch (thrown) {
    return reportError(thrown, { args: positionals, ...(command === undefined ? {} : { command }) }, io);
  }
}

async function run(command: Command, rawArgs: readonly string[], io: Io): Promise<number> {
  const table = { ...globalFlags, ...command.options };
  const { positionals: args, flags } = parseFlags(command.hasOwnFlags === true ? [] : rawArgs, table);
  assertArguments(command, args);
  const context = { ...io, args, flags, rawArgs, commands };
  return command.run(context).catch(async (thrown: unknown) => {
    throw await explainUnauthorized(context, thrown);
  });
}

function assertArguments({ arguments: wanted = {} }: Command, args: readonly string[]): void {
  const { required = [], optional = [], hasMore = false } = wanted;
  const missing = required[args.length];
  if (missing !== undefined) throw usageError('MissingArgument', `${missing} is missing`);
  const extra = args[required.length + optional.length];
  if (extra !== undefined && !hasMore) throw usageError('UnexpectedArgument', `unexpected argument "${extra}"`);
}

const wordsOf = (args: readonly string[], options: Readonly<Record<string, Flag>> = {}): string[] =>
  tokensOf(args, { ...globalFlags, ...options }).flatMap(token => (token.kind === 'positional' ? [token.value] : []));

const wantsHelp = (args: readonly string[]): boolean =>
  tokensOf(args, globalFlags).some(token => token.kind === 'option' && token.name === 'help');

function processIo(): Io {
  const { stdout, stderr, env } = process;
  // A reader of a pipe may stop early; that is no failure.
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
  return {
    stdout,
    stderr,
    env,
    cwd: process.cwd(),
    program: programOf(process.argv),
    openStdin: () => process.stdin,
    isInteractive: process.stdin.isTTY === true,
  };
}

/** A script is run by the same Node.js; a single executable runs itself. */
const programOf = ([executable = 'chandlery', script = '']: readonly string[]): readonly string[] =>
  /\.[mc]?[jt]s$/.test(script) ? [executable, script] : [executable];
