import { configError } from './config-errors.ts';
import { type RawValues, readEnvironment, readFileValues, readFlags } from './config-sources.ts';
import { type ConfigOf, type Option, OptionProblem, type OptionSource, type OptionTable } from './option.ts';

/** Where settings are looked for. */
export interface ConfigSources {
  /** Flags only, without program and command. Default: none. */
  readonly argv?: readonly string[];
  /** Default: none. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** A YAML file; the path is for messages. Default: none. */
  readonly file?: { readonly path: string; readonly text: string } | undefined;
}

/** All settings, settled. */
export interface LoadedConfig<Table extends OptionTable> {
  readonly values: ConfigOf<Table>;
  /** Who had the last word on each setting. */
  readonly sources: { readonly [Key in keyof Table]: OptionSource | 'default' };
}

/**
 * Settles every option of a table: flag before environment before file before default.
 *
 * Rejects with one of {@link configErrorCodes}. Wrong values are errors even where another source wins, so that a
 * typing mistake does not wait for the day on which it counts.
 */
export function loadConfig<Table extends OptionTable>(
  table: Table,
  { argv = [], env = {}, file }: ConfigSources,
): LoadedConfig<Table> {
  const layers: readonly (readonly [OptionSource, RawValues])[] = [
    ['flag', readFlags(table, argv)],
    ['environment', readEnvironment(table, env)],
    ['file', file === undefined ? new Map() : readFileValues(table, file)],
  ];
  const settled = Object.entries(table).map(([key, option]) => [key, settle(key, option, layers)] as const);
  return {
    values: Object.fromEntries(settled.map(([key, { value }]) => [key, value])) as ConfigOf<Table>,
    sources: Object.fromEntries(settled.map(([key, { source }]) => [key, source])) as LoadedConfig<Table>['sources'],
  };
}

function settle(key: string, option: Option<unknown>, layers: readonly (readonly [OptionSource, RawValues])[]) {
  const found = layers.flatMap(([source, values]) => {
    const entry = values.get(key);
    return entry === undefined ? [] : [{ source, value: parseValue(option, entry) }];
  });
  return found[0] ?? { source: 'default' as const, value: option.default };
}

function parseValue(
  option: Option<unknown>,
  { raw, place }: { readonly raw: unknown; readonly place: string },
): unknown {
  try {
    return option.parse(raw);
  } catch (cause) {
    if (!(cause instanceof OptionProblem)) throw cause;
    throw configError('InvalidOption', `${place} ${cause.message}`, {
      hint: `Correct the value. What it is for: ${option.about}`,
    });
  }
}
