import { isError, toError } from '@chandlery/api';
import { buildVersion } from '../build/build-info.ts';
import { configErrorCodes } from '../config/config-errors.ts';

/** A program beside the command line: it has flags and no commands of its own. */
export interface Program {
  readonly name: string;
  /** What `--help` prints. */
  readonly help: () => string;
  /** Returns the exit code when it has ended; undefined: it continues until a signal stops it. */
  readonly run: (argv: readonly string[]) => Promise<number | undefined>;
  /** Where it prints. Default: the console. */
  readonly print?: { readonly out: (text: string) => void; readonly error: (text: string) => void };
}

const toConsole = { out: (text: string) => console.log(text), error: (text: string) => console.error(text) };

/**
 * Runs a program, or prints its help or version. A failure is printed as by the command line: what, why, what next, and
 * the code. Returns the exit code, 2 for a mistake in the flags and settings.
 */
export async function runProgram(
  argv: readonly string[],
  { name, help, run, print = toConsole }: Program,
): Promise<number | undefined> {
  if (argv.includes('--help') || argv.includes('-h')) {
    print.out(help());
    return 0;
  }
  if (argv.length === 1 && ['--version', '-v'].includes(argv[0] ?? '')) {
    print.out(buildVersion);
    return 0;
  }
  try {
    return await run(argv);
  } catch (thrown) {
    const { message, hint = `See "${name} --help".`, code } = toError(thrown);
    print.error(`Error: cannot run ${name}\nWhy:   ${message}\nNext:  ${hint}\nCode:  ${code}`);
    return isError(thrown, ...configErrorCodes) ? 2 : 1;
  }
}
