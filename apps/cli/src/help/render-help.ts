import type { Flag } from '../args/flags.ts';
import { globalFlags } from '../args/global-flags.ts';
import type { Command } from '../command.ts';
import { align } from '../output/table.ts';

const exitCodeLine = 'Exit codes: 0 all went well, 1 something failed, 2 the command line was wrong.';

/** All commands. */
export function renderOverview(commands: readonly Command[]): string {
  const shown = commands.filter(({ isHidden = false }) => !isHidden);
  return [
    'Chandlery: one control plane for offering managed services to tenants.',
    '',
    'Usage: npx chandlery <command> [flags]',
    '',
    ...[...Map.groupBy(shown, ({ group = 'Commands' }) => group)].flatMap(([heading, members]) => [
      `${heading}:`,
      indented(align(members.map(({ name, summary }) => [name, `${summary}.`]))),
    ]),
    'Flags of all commands but up:',
    indented(align(flagRows(globalFlags))),
    'Examples:',
    '  npx chandlery up',
    '  npx chandlery clusters create team-a',
    '  npx chandlery kubeconfig team-a > team-a.kubeconfig',
    '',
    'Run "npx chandlery help <command>" for more about one of them.',
    exitCodeLine,
    '',
  ].join('\n');
}

/** The commands that share a first word. */
export function renderGroup(group: string, commands: readonly Command[]): string {
  return [
    `Usage: npx chandlery ${group} <command> [flags]`,
    '',
    'Commands:',
    indented(align(commands.map(({ name, summary }) => [name, `${summary}.`]))),
    `Run "npx chandlery help ${group} <command>" for more about one of them.`,
    '',
  ].join('\n');
}

/** One command. */
export function renderCommand(command: Command): string {
  const { name, aliases = [], summary, usage, examples, options, notes = [] } = command;
  const head = command.renderHelp?.() ?? flagHelp(`npx chandlery ${name} ${usage}`.trim(), options);
  return [
    `${summary}.`,
    '',
    head,
    ...(aliases.length === 0 ? [] : [`Short: npx chandlery ${aliases.join(', ')}`, '']),
    ...(notes.length === 0 ? [] : [...notes, '']),
    'Examples:',
    ...examples.map(example => `  npx ${example}`),
    '',
    exitCodeLine,
    '',
  ].join('\n');
}

function flagHelp(usage: string, options: Command['options']): string {
  const own = Object.keys(options).length === 0 ? [] : ['Flags:', indented(align(flagRows(options)))];
  return [`Usage: ${usage}`, '', ...own, 'Global flags:', indented(align(flagRows(globalsBeside(options))))].join('\n');
}

/** The global flags that a command does not explain itself. */
const globalsBeside = (options: Command['options']): Record<string, Flag> =>
  Object.fromEntries(Object.entries(globalFlags).filter(([name]) => !Object.hasOwn(options, name)));

const flagRows = (flags: Readonly<Record<string, Flag>>): string[][] =>
  Object.entries(flags).map(([name, { short, valueName, about, isMultiple }]) => [
    `${short === undefined ? '    ' : `-${short}, `}--${name}${valueName === undefined ? '' : ` ${valueName}`}`,
    `${about}${isMultiple === true ? ' May be given several times.' : ''}`,
  ]);

const indented = (text: string): string => text.replace(/^(?=.)/gm, '  ');
