import { commandNamed, commandsOfGroup, groupName, unknownCommand } from '../args/find-command.ts';
import type { Command } from '../command.ts';
import { renderCommand, renderGroup, renderOverview } from './render-help.ts';

export const helpCommand: Command = {
  name: 'help',
  summary: 'Explain a command',
  usage: '[COMMAND]',
  examples: ['chandlery help', 'chandlery help cluster create'],
  formats: [],
  options: {},
  arguments: { optional: ['COMMAND', 'COMMAND', 'COMMAND'] },
  async run({ args, commands, stdout }) {
    stdout.write(helpFor(args, commands));
    return 0;
  },
};

/** The help for some words, which may be none, a command, or the first words of several. */
export function helpFor(words: readonly string[], commands: readonly Command[]): string {
  if (words.length === 0) return renderOverview(commands);
  const members = commandsOfGroup(words, commands);
  const named = commandNamed(words, commands);
  if (named !== undefined) return renderCommand(named.command, members);
  if (members.length > 0) return renderGroup(groupName(words, members), members);
  throw unknownCommand(words, commands);
}
