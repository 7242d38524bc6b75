import type { Flag, Flags } from './args/flags.ts';

/** Where a command writes; a terminal may get colours. */
export interface Output {
  write(text: string | Uint8Array): unknown;
  readonly isTTY?: boolean;
  /** The size of a terminal. Default: it does not say. */
  readonly rows?: number;
  readonly columns?: number;
}

/** The environment of a command. */
export interface Io {
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** File names are relative to it. */
  readonly cwd: string;
  /** What is typed or piped in; opened only by commands that read it. Default: nothing. */
  readonly openStdin?: () => AsyncIterable<string | Uint8Array>;
  /** How this command is run again, by kubectl for example. Default: `chandlery`. */
  readonly program?: readonly string[];
  /** Whether standard input is a terminal, so that a prompt can be answered. Default false. */
  readonly isInteractive?: boolean;
}

/** What a command is run with. */
export interface CommandContext extends Io {
  /** Arguments that are no flags. */
  readonly args: readonly string[];
  readonly flags: Flags;
  /** Everything after the command's name, as it was written. */
  readonly rawArgs: readonly string[];
  /** All commands, for help. */
  readonly commands: readonly Command[];
}

/** One command. Help and the parsing of arguments follow from it. */
export interface Command {
  /** One to three words. */
  readonly name: string;
  /** Other names, of one word. Default none. */
  readonly aliases?: readonly string[];
  /** Left out of help and completion. Default false. */
  readonly isHidden?: boolean;
  /** Under which heading the overview shows it. Default: among the commands for the landscape. */
  readonly group?: string;
  /** One sentence without a full stop. */
  readonly summary: string;
  /** What follows the name: `NAME [flags]`. */
  readonly usage: string;
  /** Whole command lines, without `npx`. */
  readonly examples: readonly string[];
  /** Flags besides the global ones. */
  readonly options: Readonly<Record<string, Flag>>;
  /** Names of the arguments that must be given, of those that may, and whether any number may follow. */
  readonly arguments?: {
    readonly required?: readonly string[];
    readonly optional?: readonly string[];
    readonly hasMore?: boolean;
  };
  /** More for `--help`, in lines. */
  readonly notes?: readonly string[];
  /** True when the command understands its own flags; it gets `rawArgs` only. */
  readonly hasOwnFlags?: boolean;
  /** Replaces the help that is derived from this table. */
  readonly renderHelp?: () => string;
  /** What the command is about to do, worded to follow "cannot". Default: `run` and its name. */
  readonly goal?: (args: readonly string[]) => string;
  /** Returns the exit code. Whatever it throws is shown to the user. */
  run(context: CommandContext): Promise<number>;
}
