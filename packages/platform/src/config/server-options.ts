import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { readFileIfPresent } from '../files/private-files.ts';
import { logFormats, logLevels } from '../log/logger.ts';
import { configError } from './config-errors.ts';
import { DatabaseUrlProblem, parseDatabaseUrl } from './database-url.ts';
import { type LoadedConfig, loadConfig } from './load-config.ts';
import { type OidcProviderConfig, parseOidcProviders } from './oidc-config.ts';
import {
  type ConfigOf,
  choice,
  integer,
  type Option,
  optionalPort,
  parseText,
  port,
  problem,
  share,
  structured,
  text,
  words,
} from './option.ts';

/** How long the store keeps history for watches unless configured otherwise. Records of orders: `historyRetentionMs`. */
export const defaultHistoryMinutes = 10;

const database: Option<string | undefined> = {
  about:
    'Where objects are kept: postgres://user:password@host/name (several hosts: one:5432,two:5432), or sqlite for a file in the data folder.',
  valueName: 'URL',
  default: undefined,
  defaultText: 'sqlite',
  parse: raw => (raw === 'sqlite' ? undefined : parseDatabase(raw)),
};

const publicUrl: Option<string | undefined> = {
  about: 'Where others reach the landscape, as kubeconfigs say it: the address of a load balancer before replicas.',
  valueName: 'URL',
  default: undefined,
  defaultText: 'https://HOST:PORT',
  parse: raw => parsePublicUrl(raw),
};

const endpoint: Option<string | undefined> = {
  about: 'Where traces are sent by OTLP over HTTP: the address of a collector, without /v1/traces.',
  valueName: 'URL',
  default: undefined,
  defaultText: '$OTEL_EXPORTER_OTLP_ENDPOINT, else no traces',
  parse: raw => parseEndpoint(raw),
};

/** The settings of `chandlery up`. */
export const serverOptions = {
  dataDir: text({
    about: 'The folder with everything that must outlive the process.',
    valueName: 'DIR',
    default: '.chandlery',
  }),
  host: text({ about: 'The address to listen on.', valueName: 'HOST', default: '127.0.0.1' }),
  port: port({ about: 'The HTTPS port of all APIs.', default: 7443 }),
  publicUrl,
  httpPort: optionalPort({ about: 'A plain HTTP port, on loopback only.', default: undefined, defaultText: 'off' }),
  xdsPort: port({ about: 'The gRPC port for proxies.', default: 18_000 }),
  database,
  config: text({
    about: 'The file with settings.',
    valueName: 'FILE',
    default: undefined,
    defaultText: './chandlery.yaml if it exists',
    from: ['flag', 'environment'],
  }),
  logLevel: choice(logLevels, { about: 'The least important lines to log.', default: 'info' }),
  logFormat: choice([...logFormats, 'auto'], {
    about: 'How lines are logged; auto is text on a terminal.',
    default: 'auto',
  }),
  oidc: structured<readonly OidcProviderConfig[]>(parseOidcProviders, {
    about: 'OpenID providers whose tokens are accepted: a list of issuer, audiences, usernameClaim, groupsClaim, ….',
    default: [],
    defaultText: '',
    from: ['environment', 'file'],
  }),
  serviceManager: structured<Readonly<Record<string, unknown>>>(parseSettings, {
    about: 'How the service manager behaves: pollingIntervalMs, rateLimit, …; see the README of domains/brokers.',
    default: {},
    defaultText: '',
    from: ['environment', 'file'],
  }),
  orders: structured<Readonly<Record<string, unknown>>>(parseSettings, {
    about: 'Limits of tenants and where artifacts are kept: artifactBytes, s3, …; see the README of domains/orders.',
    default: {},
    defaultText: '',
    from: ['environment', 'file'],
  }),
  clouds: structured<Readonly<Record<string, unknown>>>(parseSettings, {
    about:
      'Accounts of clouds that may be read with the credentials of the server: serverCredentials; see docs/mesh-clouds.md.',
    default: {},
    defaultText: '',
    from: ['environment', 'file'],
  }),
  allowedBrokerAddresses: words({
    about: 'Where service brokers may be besides at public addresses: ranges, addresses and names of hosts.',
    valueName: 'CIDR,…',
    default: [],
    defaultText: 'loopback while the server listens there',
  }),
  localClusters: choice(['on', 'off'], {
    about: 'Whether clusters of the profile local run pods, as processes of this machine: for development only.',
    default: 'on',
  }),
  podIsolation: choice(['required', 'preferred'], {
    about:
      'Whether pods that ask for isolation, as those of tenants do, also run where the machine offers no namespaces: then they see what the server sees.',
    default: 'required',
  }),
  auditLog: text({
    about: 'Where each write is recorded: a file, - for the standard output, or off.',
    valueName: 'FILE|-|off',
    default: undefined,
    defaultText: 'audit.log in the data folder',
  }),
  otlpEndpoint: endpoint,
  traceRatio: share({
    about: 'The share of traces begun here that are recorded, from 0 to 1; clients may decide for theirs.',
    default: 1,
  }),
  historyMinutes: integer(
    { min: 1, max: 60 * 24 * 30 },
    { about: 'How long watches can be resumed; older history is compacted.', default: defaultHistoryMinutes },
  ),
  revisionDays: integer(
    { min: 0, max: 365 },
    {
      about: 'How many days superseded versions of objects are kept for readers of their history; 0: none are.',
      default: 7,
    },
  ),
} as const;

/** The values of {@link serverOptions}. */
export type ServerConfig = ConfigOf<typeof serverOptions>;

/** Where audit records go. */
export type AuditLogTarget =
  | { readonly to: 'file'; readonly path: string }
  | { readonly to: 'stdout' }
  | { readonly to: 'off' };

/** What the option `audit-log` means. */
export function auditLogTarget({ auditLog, dataDir }: Pick<ServerConfig, 'auditLog' | 'dataDir'>): AuditLogTarget {
  if (auditLog === 'off') return { to: 'off' };
  if (auditLog === '-') return { to: 'stdout' };
  return { to: 'file', path: auditLog ?? join(dataDir, 'audit.log') };
}

/** Settles the server's options, reading the settings file. Rejects with one of {@link configErrorCodes}. */
export function loadServerConfig({
  argv,
  env: given,
  folder = '.',
}: {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where `chandlery.yaml` is looked for. Default: the current folder. */
  readonly folder?: string;
}): LoadedConfig<typeof serverOptions> {
  const env = withStandardVariables(given);
  const { config } = loadConfig(serverOptions, { argv, env }).values;
  return loadConfig(serverOptions, {
    argv,
    env,
    file: config === undefined ? defaultFile(folder) : namedFile(folder, config),
  });
}

/** The variable that OpenTelemetry gives the address of a collector counts where ours is not set. */
function withStandardVariables(env: Readonly<Record<string, string | undefined>>) {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: collector = '' } = env;
  return collector === '' ? env : { CHANDLERY_OTLP_ENDPOINT: collector, ...env };
}

function defaultFile(folder: string) {
  const text = readFileIfPresent(join(folder, 'chandlery.yaml'));
  return text === undefined ? undefined : { path: 'chandlery.yaml', text };
}

function namedFile(folder: string, path: string) {
  try {
    return { path, text: readFileSync(resolve(folder, path), 'utf8') };
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw configError(
      'ConfigFileInvalid',
      `cannot read the settings file ${path}: ${code === 'ENOENT' ? 'it does not exist' : code}`,
      { cause },
    );
  }
}

/** A map whose keys the domain itself knows. */
function parseSettings(raw: unknown): Readonly<Record<string, unknown>> {
  if (typeof raw === 'object' && raw !== null && !Array.isArray(raw)) return raw as Record<string, unknown>;
  return problem('must be a map of settings');
}

function parsePublicUrl(raw: unknown): string {
  const url = parseText(raw);
  if (!URL.canParse(url) || new URL(url).protocol !== 'https:') {
    return problem('must be an address that starts with https://');
  }
  return url.replace(/\/+$/, '');
}

function parseEndpoint(raw: unknown): string {
  const url = parseText(raw);
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    return problem('must be an http or https address');
  return url.replace(/\/+$/, '');
}

function parseDatabase(raw: unknown): string {
  const url = parseText(raw);
  try {
    parseDatabaseUrl(url);
  } catch (thrown) {
    if (thrown instanceof DatabaseUrlProblem)
      return problem(`${thrown.message} (the address is not shown here, as it may hold a password)`);
    throw thrown;
  }
  return url;
}
