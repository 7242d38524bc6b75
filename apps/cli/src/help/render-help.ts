import { definitions, wrap, wrapCommand } from '@chandlery/platform';
import type { Flag } from '../args/flags.ts';
import { flagsOf, globalFlags } from '../args/global-flags.ts';
import type { Command } from '../command.ts';

const exitCodeLine = 'Exit codes: 0 success, 1 failure, 2 wrong command line, 130 interrupted.';

/** What there is: commands of one word with what they do, nouns with their verbs. */
export function renderOverview(commands: readonly Command[]): string {
  const shown = commands.filter(({ isHidden = false }) => !isHidden);
  return text([
    'Chandlery: one control plane for offering managed services to tenants.',
    '',
    'Examples:',
    '  npx chandlery up',
    '  npx chandlery status',
    '  npx chandlery marketplace',
    '  npx chandlery order create dinosaurs --plan standard.x1 --name rex --wait',
    '',
    'Usage: npx chandlery <command> [flags]',
    '       npx chandlery <noun> <verb> [flags]',
    '',
    ...[...Map.groupBy(shown, ({ group = 'Landscape' }) => group)].flatMap(([heading, members]) => [
      `${heading}:`,
      ...definitions(overviewRows(members)),
      '',
    ]),
    'Flags of all commands but up:',
    ...definitions(flagRows(globalFlags)),
    '',
    'Run "npx chandlery help <command>" or "help <noun>" for more.',
    exitCodeLine,
  ]);
}

/** A row for each noun, and one for each command of one word. */
function overviewRows(commands: readonly Command[]): (readonly [string, string])[] {
  const nouns = Map.groupBy(commands, ({ name }) => name.split(' ').slice(0, -1).join(' ') || name);
  return [...nouns].map(([noun, members]) => {
    const [first] = members;
    if (first?.name === noun) return [noun, `${first.summary}.`];
    return [noun, members.map(({ name }) => name.split(' ').at(-1)).join(', ')];
  });
}

/** The commands that share their first words. */
export function renderGroup(group: string, commands: readonly Command[]): string {
  return text([
    `Usage: npx chandlery ${group} <command> [flags]`,
    '',
    'Commands:',
    ...definitions(commands.map(({ name, summary }) => [name, `${summary}.`])),
    '',
    `Run "npx chandlery help ${group} <command>" for more about one of them.`,
  ]);
}

/** One command. `others`: commands whose names continue its name. */
export function renderCommand(command: Command, others: readonly Command[] = []): string {
  const { name, aliases = [], summary, usage, examples, notes = [] } = command;
  const shownAliases = aliases.map(alias => `npx chandlery ${alias}`).join(', ');
  return text([
    `${summary}.`,
    '',
    'Examples:',
    ...examples.flatMap(example => wrapCommand(`npx ${example}`, '  ')),
    '',
    ...(command.renderHelp?.().trimEnd().split('\n') ?? [
      ...wrap(`Usage: npx chandlery ${name} ${usage}`.trim(), 80, '       '),
      '',
      ...flagHelp(command),
    ]),
    ...(notes.length === 0 ? [] : ['', ...paragraphs(notes).flatMap(note => wrap(note))]),
    '',
    ...(aliases.length === 0 ? [] : wrap(`Also: ${shownAliases}`, 80, '      ')),
    ...(others.length === 0 ? [] : [`See also: ${others.map(other => other.name).join(', ')}`]),
    exitCodeLine,
  ]);
}

/** A note that ends within a sentence continues in the next one. */
const paragraphs = (notes: readonly string[]): readonly string[] =>
  notes.reduce<readonly string[]>((found, note) => {
    const last = found.at(-1);
    return last === undefined || /[.:]$/.test(last) ? [...found, note] : [...found.slice(0, -1), `${last} ${note}`];
  }, []);

function flagHelp(command: Command): string[] {
  const flags = Object.entries(flagsOf(command));
  const own = flags.filter(([flag]) => !Object.hasOwn(globalFlags, flag) || Object.hasOwn(command.options, flag));
  const global = flags.filter(entry => !own.includes(entry));
  return [
    ...(own.length === 0 ? [] : ['Flags:', ...definitions(flagRows(Object.fromEntries(own))), '']),
    'Global flags:',
    ...definitions(flagRows(Object.fromEntries(global))),
  ];
}

const flagRows = (flags: Readonly<Record<string, Flag>>): (readonly [string, string])[] =>
  Object.entries(flags).map(([name, { short, valueName, about, isMultiple }]) => [
    `${short === undefined ? '    ' : `-${short}, `}--${name}${valueName === undefined ? '' : ` ${valueName}`}`,
    `${about}${isMultiple === true ? ' May be given several times.' : ''}`,
  ]);

const text = (lines: readonly string[]): string => lines.map(line => `${line}\n`).join('');
