import { isRecord } from '@chandlery/api';
import { type Document, LineCounter, parseDocument } from 'yaml';
import { configError, unknownOption } from './config-errors.ts';
import type { OptionSource, OptionTable } from './option.ts';
import { environmentName, flagName, kebabCase } from './option-names.ts';

/** A value as found, not yet parsed, with the words that name its place in a message. */
export interface RawValue {
  readonly raw: unknown;
  readonly place: string;
}

/** By the option's key. */
export type RawValues = ReadonlyMap<string, RawValue>;

/** True when an option may be set there. */
export const isSettable = (table: OptionTable, key: string, source: OptionSource): boolean =>
  table[key]?.from?.includes(source) ?? true;

/** The flags of a command line. `--name value`, `--name=value`, `--switch`, `--no-switch`; the last one counts. */
export function readFlags(table: OptionTable, argv: readonly string[]): RawValues {
  const keys = Object.keys(table).filter(key => isSettable(table, key, 'flag'));
  const byFlag = new Map(keys.map(key => [flagName(key), key]));
  for (const key of keys) if (table[key]?.isSwitch) byFlag.set(flagName(key).replace('--', '--no-'), key);
  const values = new Map<string, RawValue>();
  for (let at = 0; at < argv.length; at++) {
    const { flag, inline } = splitFlag(argv[at] ?? '');
    const key = byFlag.get(flag);
    if (key === undefined) throw unknownOption('flag', flag, [...byFlag.keys()]);
    const needsNext = inline === undefined && !table[key]?.isSwitch;
    const raw = needsNext ? flagValue(flag, argv[++at]) : switchValue(flag, flagName(key), inline);
    values.set(key, { raw, place: flag });
  }
  return values;
}

function splitFlag(argument: string): { readonly flag: string; readonly inline?: string } {
  if (!argument.startsWith('--'))
    throw configError('UnexpectedArgument', `unexpected argument "${argument}"`, { hint: 'See --help.' });
  const equals = argument.indexOf('=');
  return equals < 0 ? { flag: argument } : { flag: argument.slice(0, equals), inline: argument.slice(equals + 1) };
}

function flagValue(flag: string, next: string | undefined): string {
  if (next !== undefined && !next.startsWith('--')) return next;
  throw configError('MissingValue', `${flag} needs a value`, { hint: 'See --help.' });
}

/** The value after `=`; for a switch without one, whether it was written plainly or with `--no-`. */
function switchValue(flag: string, plainFlag: string, inline: string | undefined): unknown {
  if (flag === plainFlag) return inline ?? true;
  if (inline === undefined) return false;
  throw configError('UnexpectedArgument', `${flag} takes no value`, { hint: 'See --help.' });
}

/** The environment's variables. An empty one counts as not set. Other `CHANDLERY_…` variables are not ours to judge. */
export function readEnvironment(table: OptionTable, env: Readonly<Record<string, string | undefined>>): RawValues {
  const values = new Map<string, RawValue>();
  for (const key of Object.keys(table)) {
    const name = environmentName(key);
    const raw = env[name];
    if (raw === undefined || raw === '' || !isSettable(table, key, 'environment')) continue;
    values.set(key, { raw, place: name });
  }
  return values;
}

/**
 * The keys of a YAML file, in kebab or camel case. A group may be written as a map: `log: {level: debug}` is
 * `log-level: debug`. An empty value counts as not set.
 */
export function readFileValues(table: OptionTable, file: { readonly path: string; readonly text: string }): RawValues {
  const keys = Object.keys(table).filter(key => isSettable(table, key, 'file'));
  const byName = new Map(keys.map(key => [kebabCase(key), key]));
  const values = new Map<string, RawValue>();
  const visit = (map: object, prefix: string): void => {
    for (const [written, raw] of Object.entries(map)) {
      const name = prefix + kebabCase(written);
      const key = byName.get(name);
      const isGroup = [...byName.keys()].some(known => known.startsWith(`${name}-`));
      if (key === undefined && isGroup && isRecord(raw)) visit(raw, `${name}-`);
      else if (key === undefined)
        throw unknownOption(`key in ${file.path}:`, prefix === '' ? written : name, [...byName.keys()]);
      else if (values.has(key)) throw configError('ConfigFileInvalid', `${file.path} sets "${name}" twice`);
      else if (raw !== null) values.set(key, { raw, place: `"${name}" in ${file.path}` });
    }
  };
  visit(parseYamlMap(file), '');
  return values;
}

function parseYamlMap({ path, text }: { readonly path: string; readonly text: string }): object {
  const lineCounter = new LineCounter();
  // Without the pretty form: that one quotes the line, and the line may hold a password.
  const document = parseDocument(text, { prettyErrors: false, lineCounter });
  const [error] = document.errors;
  if (error !== undefined) {
    const { line, col } = lineCounter.linePos(error.pos[0]);
    throw configError('ConfigFileInvalid', `${path} is not valid YAML (line ${line}, column ${col}, ${error.code})`);
  }
  const value = toPlainValue(document, path) ?? {};
  if (!isRecord(value)) throw configError('ConfigFileInvalid', `${path} must hold keys and values`);
  return value;
}

/** Aliases are resolved only here; one that leads nowhere, or a bomb of them, throws. */
function toPlainValue(document: Document, path: string): unknown {
  try {
    return document.toJS() as unknown;
  } catch (cause) {
    throw configError('ConfigFileInvalid', `${path} has an alias (*name) that cannot be resolved`, { cause });
  }
}
