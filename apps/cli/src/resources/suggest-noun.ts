import { ChandleryError, isError } from '@chandlery/api';
import { commandsOfGroup } from '../args/find-command.ts';
import type { CommandContext } from '../command.ts';

/** `get instances` names no kind, and there are commands with this noun: the error says so. */
export function suggestNoun({ args, commands }: CommandContext, thrown: unknown): unknown {
  if (!isError(thrown, 'UnknownKind')) return thrown;
  const [noun = ''] = (args[0] ?? '').split('/');
  const members = commandsOfGroup([noun], commands);
  const found = members.find(({ name }) => name.endsWith(' list')) ?? members[0];
  if (found === undefined) return thrown;
  return new ChandleryError(thrown.code, thrown.message, {
    hint: `Did you mean "npx chandlery ${found.name}"? ${thrown.hint ?? ''}`.trim(),
    cause: thrown,
  });
}
