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
  /** What is typed or piped in; opened only by commands that read it. The signal ends it. Default: nothing. */
  readonly openStdin?: (signal?: AbortSignal) => AsyncIterable<string | Uint8Array>;
  /** Calls a listener with each key that is pressed, until disposed of. Default: there is no keyboard. */
  readonly onKey?: (listener: (key: string) => void) => Disposable;
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

/** Values that only a running landscape knows. */
export type LiveValues =
  | { readonly type: 'clusters' }
  | { readonly type: 'namespaces' }
  | { readonly type: 'contexts' }
  | { readonly type: 'kinds' }
  /** The names of objects of a kind, on a cluster other than the context's if named. */
  | { readonly type: 'names'; readonly kind: string; readonly prefix: string; readonly cluster?: string }
  /** The names of what the service manager lists at a path. */
  | { readonly type: 'service-manager'; readonly path: string }
  /** The names of what a command lists, with the flags that were typed so far: `workspace list` of a project. */
  | { readonly type: 'list'; readonly command: string };

/** A right on the cluster that holds the objects of tenants. */
export interface Right {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
}

/** One command. Help and the parsing of arguments follow from it. */
export interface Command {
  /** One to three words: nouns, singular, and then a verb. */
  readonly name: string;
  /** Other names. Default none. */
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
  /** What `-o` may be, the default first; empty: it prints no objects. Default: table, json and yaml. */
  readonly formats?: readonly string[];
  /** Flags besides the global ones and `-o`. */
  readonly options: Readonly<Record<string, Flag>>;
  /** Names of the arguments that must be given, of those that may, and whether any number may follow. */
  readonly arguments?: {
    readonly required?: readonly string[];
    readonly optional?: readonly string[];
    readonly hasMore?: boolean;
  };
  /** Where the values of arguments are found, by the name of the argument. Default: by what the name stands for. */
  readonly values?: Readonly<Record<string, LiveValues>>;
  /** Words that an argument can be, by the name of the argument; completion offers them. Default none. */
  readonly choices?: Readonly<Record<string, readonly string[]>>;
  /** More for `--help`, in lines. */
  readonly notes?: readonly string[];
  /** True when the command understands its own flags; it gets `rawArgs` only. */
  readonly hasOwnFlags?: boolean;
  /** Replaces the help that is derived from this table. */
  readonly renderHelp?: () => string;
  /** The exit code of a failure. Default 1. */
  readonly failureCode?: number;
  /** Rights without which its API answers as if there were nothing; named when nothing is found. Default none. */
  readonly rights?: readonly Right[];
  /** What the command is about to do, worded to follow "cannot". Default: `run` and its name. */
  readonly goal?: (args: readonly string[]) => string;
  /** Returns the exit code. Whatever it throws is shown to the user. */
  run(context: CommandContext): Promise<number>;
}
