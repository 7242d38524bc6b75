import { addAbortSignal } from 'node:stream';
import { findCommand, flagsBeforeCommand } from './args/find-command.ts';
import { type Flag, type Flags, parseFlags, tokensOf } from './args/flags.ts';
import { flagsOf, formatOf, formatsOf } from './args/global-flags.ts';
import { usageError } from './args/usage-error.ts';
import type { Command, Io } from './command.ts';
import { commands } from './commands/index.ts';
import { helpFor } from './help/help-command.ts';
import { versionCommand } from './help/version-command.ts';
import { explainUnauthorized } from './landscape/explain-unauthorized.ts';
import { listenForKeys } from './output/keys.ts';
import { isNode, namingProgram, programName } from './output/program-name.ts';
import { exitCodes, reportError } from './output/report-error.ts';
import { suggestNoun } from './resources/suggest-noun.ts';
import { explainForbidden } from './rights/explain-forbidden.ts';

/** Runs a command line and returns the exit code: 0 success, 1 failure, 2 a mistake in the command line. */
export async function main(args: readonly string[], io: Io = processIo(args)): Promise<number> {
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
    positionals = wordsOf(found.rest, flagsOf(command));
    return await run(command, found.rest, io);
  } catch (thrown) {
    return reportError(thrown, { args: positionals, ...(command === undefined ? {} : { command }) }, io);
  }
}

async function run(command: Command, rawArgs: readonly string[], io: Io): Promise<number> {
  const { positionals: args, flags } = parseFlags(command.hasOwnFlags === true ? [] : rawArgs, flagsOf(command));
  assertArguments(command, args);
  if (flags.text('output') !== undefined) formatOf(flags, formatsOf(command));
  const context = { ...io, env: colourEnv(io.env, flags), args, flags, rawArgs, commands };
  return command.run(context).catch(async (thrown: unknown) => {
    const explained = await explainUnauthorized(context, suggestNoun(context, thrown));
    throw await explainForbidden(context, command, explained);
  });
}

function assertArguments({ arguments: wanted = {} }: Command, args: readonly string[]): void {
  const { required = [], optional = [], hasMore = false } = wanted;
  const missing = required[args.length];
  if (missing !== undefined) throw usageError('MissingArgument', `${missing} is missing`);
  const extra = args[required.length + optional.length];
  if (extra !== undefined && !hasMore) throw usageError('UnexpectedArgument', `unexpected argument "${extra}"`);
}

/** `--color` decides as `FORCE_COLOR` and `NO_COLOR` do, and wins over them. */
function colourEnv(env: Io['env'], flags: Flags): Io['env'] {
  const wanted = flags.text('color') ?? 'auto';
  switch (wanted) {
    case 'auto':
      return env;
    case 'always':
      return { ...env, NO_COLOR: undefined, FORCE_COLOR: '1' };
    case 'never':
      return { ...env, NO_COLOR: '1' };
    default:
      throw usageError('InvalidOption', `--color must be auto, always or never, not "${wanted}"`);
  }
}

const wordsOf = (args: readonly string[], table: Readonly<Record<string, Flag>> = flagsBeforeCommand): string[] =>
  tokensOf(args, table).flatMap(token => (token.kind === 'positional' ? [token.value] : []));

const wantsHelp = (args: readonly string[]): boolean =>
  tokensOf(args, flagsBeforeCommand).some(token => token.kind === 'option' && token.name === 'help');

function processIo(args: readonly string[]): Io {
  const { stdout, stderr, env } = process;
  // A reader of a pipe may stop early; that is no failure.
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
  const name = programName(process.argv, process.argv0);
  return {
    stdout: namingProgram(stdout, name, args),
    stderr: namingProgram(stderr, name, args),
    env,
    cwd: process.cwd(),
    program: programOf(process.argv),
    openStdin: signal => (signal === undefined ? process.stdin : addAbortSignal(signal, process.stdin)),
    isInteractive: process.stdin.isTTY === true,
    ...(process.stdin.isTTY === true && stdout.isTTY === true && { onKey: listenForKeys }),
  };
}

/** A script is run by the same Node.js; a single executable runs itself. */
const programOf = ([executable = 'chandlery', script = '']: readonly string[]): readonly string[] =>
  isNode(executable) ? [executable, script] : [executable];
