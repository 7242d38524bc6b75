import { tokensOf } from '../args/flags.ts';
import { globalFlags } from '../args/global-flags.ts';
import { usageError } from '../args/usage-error.ts';
import type { Command, CommandContext } from '../command.ts';
import { scopeFlags } from '../resources/scope.ts';
import { complete } from './complete.ts';
import { readLiveValues } from './live-values.ts';
import { type Shell, shellScripts, shells } from './shell-scripts.ts';

const completionCommand: Command = {
  name: 'completion',
  summary: 'Print the completion script of a shell',
  usage: shells.join('|'),
  examples: [
    'chandlery completion bash > ~/.local/share/bash-completion/completions/chandlery',
    'chandlery completion zsh > ~/.zsh/completions/_chandlery',
    'chandlery completion fish > ~/.config/fish/completions/chandlery.fish',
  ],
  arguments: { required: ['SHELL'] },
  choices: { SHELL: shells },
  formats: [],
  options: {},
  notes: ['Commands, flags, kinds, names, namespaces, clusters and contexts are completed, names from the landscape.'],
  async run({ args: [shell = ''], stdout }) {
    const found = shells.find(name => name === shell);
    if (found === undefined)
      throw usageError('UnexpectedArgument', `SHELL must be one of ${shells.join(', ')}, not "${shell}"`);
    stdout.write(shellScripts[found satisfies Shell]);
    return Promise.resolve(0);
  },
};

/** What the scripts call: prints one candidate a line for the last of the words after `--`. */
const completeCommand: Command = {
  name: '__complete',
  isHidden: true,
  summary: 'Print what the last word of a command line can be',
  usage: '-- WORDS…',
  examples: ['chandlery __complete -- get pod'],
  formats: [],
  options: {},
  hasOwnFlags: true,
  async run(context) {
    const words = context.rawArgs.slice(context.rawArgs.indexOf('--') + 1);
    const last = words.at(-1) ?? '';
    // A value behind `--flag=` is a word of its own for the shell only where it takes words apart there.
    const [inline = ''] = /^--[\w-]+=/.exec(last) ?? [];
    const typed = inline === '' ? words : [...words.slice(0, -1), inline.slice(0, -1), last.slice(inline.length)];
    const word = typed.at(-1) === '=' ? '' : (typed.at(-1) ?? '');
    const { candidates, live } = complete(typed, context.commands);
    const read =
      live === undefined ? [] : await readLiveValues(withWordFlags(context, words), live, typed.slice(0, -1));
    const shown = [...candidates, ...read].filter(text => text.startsWith(word));
    context.stdout.write(shown.map(text => `${inline}${text}\n`).join(''));
    return 0;
  },
};

/** The context of a command with the flags that were typed so far, complete or not. */
function withWordFlags(context: CommandContext, words: readonly string[]): CommandContext {
  const table = { ...globalFlags, ...scopeFlags };
  const typed = new Map(
    tokensOf(words.slice(0, -1), table).flatMap(token =>
      token.kind === 'option' && Object.hasOwn(table, token.name) && token.value !== undefined
        ? [[token.name, token.value] as const]
        : [],
    ),
  );
  const text = (name: string): string | undefined => typed.get(name);
  const texts = (name: string): readonly string[] => [text(name)].filter(value => value !== undefined);
  return { ...context, flags: { text, texts, isOn: () => false } };
}

export const completionCommands: readonly Command[] = [completionCommand, completeCommand];
