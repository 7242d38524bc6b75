import { ChandleryError, parseDurationMs } from '@chandlery/api';
import type { LogLevel } from '@chandlery/platform';
import type { StartProviderOptions } from './start-provider.ts';

/** Concurrency, rate limit and back-off of a provider. */
export type Pace = Pick<StartProviderOptions, 'concurrency' | 'rateLimit' | 'backOff'>;

/** The parsed command line of a provider process. */
export interface ProviderArguments {
  readonly command: 'init' | 'run' | 'plan';
  /** The name of the landscape. Default `default`. */
  readonly environment: string;
  readonly logLevel: LogLevel;
  readonly provider: string;
  /** Whether one of several replicas is elected leader. Default false. */
  readonly isLeaderElected: boolean;
  /** `host:port`, `:port`, or undefined for no metrics. */
  readonly metricsAddress: string | undefined;
  /** The pace set on the command line; the program's options apply to the rest. */
  readonly pace: Pace;
  /** `namespace/name`, for plan. */
  readonly object: string | undefined;
  /** A file with the future object, for plan. */
  readonly file: string | undefined;
  /** How plan prints its result. Default `text`. */
  readonly output: 'text' | 'json';
}

/** The help text. */
export const usage = `Usage: <provider> init|run|plan --provider-name=<name> [options]

Commands:
  init   installs the kinds of the provider on the platform and the onboarding cluster
  run    serves the objects of the provider
  plan   prints what would change for --object=<namespace>/<name>, or for the object in --file=<path>

Options:
  --provider-name=<name>           the name of the ServiceProvider (required)
  --environment=<name>             the name of the landscape
  --verbosity=DEBUG|INFO|ERROR     the log level (default INFO)
  --leader-elect=true|false        elect one of several replicas as leader (default false)
  --metrics-bind-address=[host]:<port>  the address of the metrics, 0 for none (default 0)
  --max-concurrent-reconciles=<n>  the number of concurrent reconciles (default 8)
  --rate-limit=<n>                 reconciles per second, over all objects (default: no limit)
  --rate-limit-burst=<n>           the burst of reconciles after an idle time (default: ten times the limit)
  --retry-base-delay=<duration>    the back-off after the first failure (default 5ms), doubled each time
  --retry-max-delay=<duration>     the longest back-off (default 1000s)
  --metrics-secure=false           only false is supported
  --output=text|json               how plan prints its result (default text)
`;

const flags = [
  'environment',
  'verbosity',
  'provider-name',
  'leader-elect',
  'metrics-bind-address',
  'metrics-secure',
  'max-concurrent-reconciles',
  'rate-limit',
  'rate-limit-burst',
  'retry-base-delay',
  'retry-max-delay',
  'object',
  'file',
  'output',
] as const;
type Flag = (typeof flags)[number];

/** Parses the command line of a provider process. Throws `UsageError`. */
export function parseArguments(argv: readonly string[]): ProviderArguments {
  const { words, values } = split(argv);
  const [command = '', ...more] = words;
  if (command !== 'init' && command !== 'run' && command !== 'plan') throw wrongCommand(command);
  if (more.length > 0) throw usageError(`unexpected argument "${more[0]}"`);
  const provider = values.get('provider-name') ?? '';
  if (provider === '') throw usageError('--provider-name is missing');
  if (isTrue(values, 'metrics-secure')) throw usageError('--metrics-secure=true is not supported');
  const address = values.get('metrics-bind-address') ?? '0';
  if (!/^(0|[^:]*:\d+)$/.test(address)) throw usageError(`--metrics-bind-address=${address} is not [host]:port`);
  const [object, file] = [values.get('object'), values.get('file')];
  if (command === 'plan' && (object === undefined) === (file === undefined))
    throw usageError('plan needs either --object=<namespace>/<name> or --file=<path>');
  return {
    command,
    provider,
    environment: values.get('environment') ?? 'default',
    logLevel: logLevelOf(values.get('verbosity') ?? 'INFO'),
    isLeaderElected: isTrue(values, 'leader-elect'),
    metricsAddress: address === '0' ? undefined : address,
    pace: paceOf(values),
    object,
    file,
    output: outputOf(values.get('output') ?? 'text'),
  };
}

function outputOf(text: string): ProviderArguments['output'] {
  if (text === 'text' || text === 'json') return text;
  throw usageError(`--output=${text} is neither text nor json`);
}

function paceOf(values: ReadonlyMap<Flag, string>): Pace {
  const concurrency = numberOf(values, 'max-concurrent-reconciles', { isWhole: true });
  const perSecond = numberOf(values, 'rate-limit', {});
  const burst = numberOf(values, 'rate-limit-burst', { isWhole: true });
  if (burst !== undefined && perSecond === undefined) throw usageError('--rate-limit-burst needs --rate-limit');
  const [baseMs, maxMs] = [durationOf(values, 'retry-base-delay'), durationOf(values, 'retry-max-delay')];
  const backOff = { ...(baseMs === undefined ? {} : { baseMs }), ...(maxMs === undefined ? {} : { maxMs }) };
  return {
    ...(concurrency === undefined ? {} : { concurrency }),
    ...(perSecond === undefined
      ? {}
      : { rateLimit: { perSecond, burst: burst ?? Math.max(1, Math.ceil(burstPerLimit * perSecond)) } }),
    ...(baseMs === undefined && maxMs === undefined ? {} : { backOff }),
  };
}

/** The same ratio as Crossplane's. */
const burstPerLimit = 10;

function numberOf(
  values: ReadonlyMap<Flag, string>,
  flag: Flag,
  { isWhole = false }: { readonly isWhole?: boolean },
): number | undefined {
  const text = values.get(flag);
  if (text === undefined) return undefined;
  const value = /^\d+(\.\d+)?$/.test(text) ? Number(text) : 0;
  if (value <= 0 || (isWhole && !Number.isInteger(value)))
    throw usageError(`--${flag}=${text} is not a ${isWhole ? 'whole ' : ''}number above zero`);
  return value;
}

function durationOf(values: ReadonlyMap<Flag, string>, flag: Flag): number | undefined {
  const text = values.get(flag);
  if (text === undefined) return undefined;
  const ms = parseDurationMs(text);
  if (ms === undefined || ms <= 0) throw usageError(`--${flag}=${text} is not a duration such as 500ms, 30s or 2m`);
  return ms;
}

/** Accepts `--flag=value`, `--flag value`, `--flag` for true, and `-f` for the file. */
function split(argv: readonly string[]): { words: readonly string[]; values: ReadonlyMap<Flag, string> } {
  const words: string[] = [];
  const values = new Map<Flag, string>();
  const rest = [...argv];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (!word.startsWith('-')) {
      words.push(word);
      continue;
    }
    const [name = '', ...value] = word
      .replace(/^-f(?=$|=)/, '--file')
      .replace(/^--?/, '')
      .split('=');
    const flag = flags.find(known => known === name);
    if (flag === undefined) throw usageError(`unknown option --${name}`);
    const isAlone = value.length === 0 && (rest[0] === undefined || rest[0].startsWith('-'));
    values.set(flag, value.length > 0 ? value.join('=') : isAlone ? 'true' : (rest.shift() ?? ''));
  }
  return { words, values };
}

function isTrue(values: ReadonlyMap<Flag, string>, flag: Flag): boolean {
  const value = values.get(flag) ?? 'false';
  if (value !== 'true' && value !== 'false') throw usageError(`--${flag}=${value} is neither true nor false`);
  return value === 'true';
}

const levels: Readonly<Record<string, LogLevel>> = { debug: 'debug', info: 'info', error: 'error' };

function logLevelOf(verbosity: string): LogLevel {
  const level = levels[verbosity.toLowerCase()];
  if (level === undefined) throw usageError(`--verbosity=${verbosity} is none of DEBUG, INFO, ERROR`);
  return level;
}

const wrongCommand = (command: string): ChandleryError =>
  usageError(command === '' ? 'no command was given' : `there is no command "${command}"`);

const usageError = (message: string): ChandleryError =>
  new ChandleryError('UsageError', message, { hint: 'See the usage above.' });
