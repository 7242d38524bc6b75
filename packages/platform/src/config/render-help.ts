import { isSettable } from './config-sources.ts';
import { definitions, wrap } from './help-text.ts';
import type { Option, OptionTable } from './option.ts';
import { environmentName, flagName, kebabCase } from './option-names.ts';

interface HelpParts {
  readonly usage: string;
  /** What sets the options as well. Default: `chandlery.yaml`. */
  readonly file?: string;
  /** Whole command lines; they come first. Default none. */
  readonly examples?: readonly string[];
}

/** The options of a program as text for `--help`: flag, meaning, default, environment variable. */
export function renderHelp(table: OptionTable, { usage, file = 'chandlery.yaml', examples = [] }: HelpParts): string {
  const rows = Object.entries(table).map(([key, option]) => [headOf(table, key, option), bodyOf(key, option)] as const);
  return [
    ...(examples.length === 0 ? [] : ['Examples:', ...examples.map(example => `  ${example}`), '']),
    `Usage: ${usage}`,
    '',
    'Options:',
    ...definitions(rows),
    '',
    ...wrap(
      `Each option can also be set by the environment variable in brackets or in ${file}, under the name of its ` +
        'flag without the dashes. Flags win over the environment, the environment over the file.',
    ),
    '',
  ].join('\n');
}

function headOf(table: OptionTable, key: string, option: Option<unknown>): string {
  if (!isSettable(table, key, 'flag')) return `(${kebabCase(key)})`;
  return option.isSwitch ? flagName(key) : `${flagName(key)} ${option.valueName}`;
}

function bodyOf(key: string, option: Option<unknown>): string {
  const shown = option.defaultText ?? defaultOf(option);
  const tail = shown === '' ? '' : ` Default: ${shown}.`;
  return `${option.about}${tail} [${environmentName(key)}]`;
}

function defaultOf({ default: value }: Option<unknown>): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
