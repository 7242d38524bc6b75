import { existsSync, readFileSync } from 'node:fs';
import { ChandleryError, isError } from '@chandlery/api';
import {
  type ConfigOf,
  choice,
  integer,
  loadConfig,
  logFormats,
  logLevels,
  port,
  renderHelp,
  structured,
  text,
  toggle,
} from '@chandlery/platform';
import { defaultSettings, type ProxySettings } from './settings.ts';

const count = { min: 0, max: 1_000_000 };
const milliseconds = { min: 1, max: 86_400_000 };
const seconds = { min: 0, max: 31_536_000 };

const names = (value: unknown): readonly string[] =>
  typeof value === 'string' ? value.split(',') : Array.isArray(value) ? value.map(String) : [];

/** Lists may be written with commas where JSON is a burden. */
const list = (about: string) => ({
  ...structured(names, { about, default: [] as readonly string[] }),
  parse: (raw: unknown) =>
    names(raw)
      .map(name => name.trim())
      .filter(name => name !== ''),
});

/** All settings of the proxy. */
const proxyOptions = {
  serviceManagerUrl: text({ about: 'Where the service manager is.', default: undefined }),
  serviceManagerUser: text({ about: 'User name of the platform at the service manager.', default: undefined }),
  serviceManagerPassword: text({
    about: 'Password of the platform; not as a flag, which others could see.',
    default: undefined,
    from: ['environment', 'file'],
  }),
  serviceManagerCa: text({ about: 'File with the certificate authority of the service manager.', default: undefined }),
  platform: choice(['kubernetes', 'cloudfoundry'], { about: 'What kind of platform this is.', default: 'kubernetes' }),
  kubeconfig: text({
    about: 'Kubeconfig of the cluster. Without: the cluster that the proxy runs in.',
    default: undefined,
  }),
  kubeContext: text({ about: 'Context of the kubeconfig.', default: undefined }),
  secretNamespace: text({ about: 'Where credentials of brokers are kept in the cluster.', default: 'chandlery-proxy' }),
  targetNamespace: text({ about: 'With service-catalog: the namespace to register brokers in.', default: undefined }),
  cfApi: text({ about: 'Where the Cloud Controller is.', default: undefined }),
  cfUser: text({ about: 'User of Cloud Foundry.', default: undefined }),
  cfPassword: text({ about: 'Password of that user.', default: undefined, from: ['environment', 'file'] }),
  cfClient: text({ about: 'Client of Cloud Foundry, instead of a user.', default: undefined }),
  cfClientSecret: text({ about: 'Secret of that client.', default: undefined, from: ['environment', 'file'] }),
  cfCa: text({ about: 'File with the certificate authority of Cloud Foundry.', default: undefined }),
  cfSkipSslValidation: toggle({ about: 'Accepts any certificate of Cloud Foundry.', default: false }),
  host: text({ about: 'Address to listen on.', default: '127.0.0.1' }),
  port: port({ about: 'Port for /healthz and, with data-path-url, for calls of brokers.', default: 8090 }),
  tlsCert: text({ about: 'File with the certificate to serve.', default: undefined }),
  tlsKey: text({ about: 'File with its key.', default: undefined }),
  dataPathUrl: text({
    about: 'Puts the proxy on the way of calls: its address as the platform reaches it.',
    default: undefined,
  }),
  stateFile: text({ about: 'Remembers over restarts what was handled.', default: undefined }),
  takeover: toggle({ about: 'Takes over brokers that the platform has itself.', default: true }),
  brokerCredentials: toggle({ about: 'Gives every broker credentials of its own.', default: true }),
  brokerBlackList: list('Names of brokers that are left alone.'),
  legacyOsbUrls: list('Former addresses of brokers, up to /v1/osb.'),
  namePrefix: text({ about: 'Before every name at the platform.', default: defaultSettings.namePrefix }),
  maxParallelRequests: integer(
    { min: 1, max: 100 },
    { about: 'How many brokers are changed at a time.', default: defaultSettings.maxParallelRequests },
  ),
  visibilityBrokerChunkSize: integer(count, {
    about: 'Brokers whose visibilities are compared at once; 0: all.',
    default: 0,
  }),
  resyncPeriodSeconds: integer(
    { min: 1, max: 31_536_000 },
    { about: 'How often everything is compared.', default: 43_200 },
  ),
  rotateCredentialsAfterSeconds: integer(seconds, { about: 'How old credentials may get; 0: any age.', default: 0 }),
  reconnectDelayMs: integer(milliseconds, {
    about: 'Before the service manager is connected to again.',
    default: defaultSettings.reconnectDelayMs,
  }),
  pongTimeoutMs: integer(milliseconds, {
    about: 'How long it may take to answer a ping.',
    default: defaultSettings.pongTimeoutMs,
  }),
  retryDelayMs: integer(milliseconds, {
    about: 'Before something that failed at the platform is tried again; then doubled.',
    default: defaultSettings.retryDelayMs,
  }),
  brokerPollMs: integer(milliseconds, {
    about: 'Kubernetes: between two polls of an operation of a broker.',
    default: 5000,
  }),
  brokerRetryMs: integer(milliseconds, {
    about: 'Kubernetes: before a broker that failed is called again; then doubled.',
    default: 5000,
  }),
  cfJobPollMs: integer(milliseconds, { about: 'Cloud Foundry: between two polls of a job.', default: 2000 }),
  requestTimeoutMs: integer(milliseconds, {
    about: 'How long a call of the service manager may take.',
    default: defaultSettings.requestTimeoutMs,
  }),
  logLevel: choice(logLevels, { about: 'What is logged.', default: 'info' }),
  logFormat: choice(logFormats, { about: 'How it is logged.', default: 'text' }),
} as const;

/** The settings of a proxy's process. */
export type ProxyConfig = ConfigOf<typeof proxyOptions>;

const prefix = 'CHANDLERY_PROXY_';

export interface ConfigPlaces {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Reads flags, `CHANDLERY_PROXY_…` variables and the file named by `--config`. Rejects with a code of `configErrorCodes`. */
export function loadProxyConfig({ argv, env }: ConfigPlaces): ProxyConfig {
  const { path, rest } = splitConfigFlag(argv, env[`${prefix}CONFIG`]);
  const file = path === undefined ? undefined : { path, text: readConfigFile(path) };
  try {
    return loadConfig(proxyOptions, { argv: rest, env: renamed(env), file }).values;
  } catch (error) {
    throw isError(error) ? withOurNames(error) : error;
  }
}

/** What `--help` prints. */
export const proxyHelp = (): string =>
  renderHelp(proxyOptions, {
    usage:
      'chandlery-proxy [--config FILE] [flags]        registers brokers at the platform until it is stopped\n' +
      '       chandlery-proxy leave [--config FILE] [flags]  deregisters them all; stop the proxy first',
    file: 'the file of --config',
    examples: [
      'CHANDLERY_PROXY_SERVICE_MANAGER_PASSWORD=… chandlery-proxy \\\n' +
        '    --service-manager-url https://chandlery.example:7443 \\\n' +
        '    --service-manager-user USER --service-manager-ca ca.crt --kubeconfig platform.kubeconfig',
      'chandlery-proxy leave --config proxy.yaml',
    ],
  }).replaceAll('[CHANDLERY_', `[${prefix}`);

/** The behaviour that settings ask for. */
export const settingsOf = (config: ProxyConfig): Partial<ProxySettings> => ({
  maxParallelRequests: config.maxParallelRequests,
  isTakeoverEnabled: config.takeover,
  areBrokerCredentialsEnabled: config.brokerCredentials,
  brokerBlackList: config.brokerBlackList,
  legacyOsbUrls: config.legacyOsbUrls,
  visibilityBrokerChunkSize: config.visibilityBrokerChunkSize,
  resyncPeriodMs: config.resyncPeriodSeconds * 1000,
  rotateCredentialsAfterMs: config.rotateCredentialsAfterSeconds * 1000,
  namePrefix: config.namePrefix,
  reconnectDelayMs: config.reconnectDelayMs,
  pongTimeoutMs: config.pongTimeoutMs,
  retryDelayMs: config.retryDelayMs,
  requestTimeoutMs: config.requestTimeoutMs,
});

/** A setting without which there is nothing to do. */
export function required(config: ProxyConfig, key: keyof ProxyConfig): string {
  const value = config[key];
  if (typeof value === 'string' && value !== '') return value;
  const name = key.replace(/([A-Z])/g, '-$1').toLowerCase();
  const variable = prefix + name.replaceAll('-', '_').toUpperCase();
  const { from }: { readonly from?: readonly string[] } = proxyOptions[key];
  const flag = from === undefined || from.includes('flag') ? `--${name}, ` : '';
  throw new ChandleryError('MissingValue', `${name} is not set`, {
    hint: `Set it by ${flag}${variable} or the key in the file that --config names; --help explains all.`,
  });
}

function splitConfigFlag(argv: readonly string[], fromEnv: string | undefined) {
  const at = argv.indexOf('--config');
  if (at < 0) return { path: fromEnv, rest: argv };
  return { path: argv[at + 1], rest: argv.toSpliced(at, 2) };
}

function readConfigFile(path: string): string {
  if (!existsSync(path)) throw new ChandleryError('ConfigFileMissing', `there is no file ${path}`);
  return readFileSync(path, 'utf8');
}

/** Variables of the server itself are none of ours. */
const renamed = (env: ConfigPlaces['env']): Record<string, string | undefined> =>
  Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) =>
      name.startsWith(prefix) ? [[`CHANDLERY_${name.slice(prefix.length)}`, value]] : [],
    ),
  );

function withOurNames({ code, message, hint, details, cause }: ChandleryError): ChandleryError {
  const ours = message.replace(/^CHANDLERY_/, prefix);
  return new ChandleryError(code, ours, { details, cause, ...(hint === undefined ? {} : { hint }) });
}
