import { flushCompileCache } from 'node:module';
import { dirname } from 'node:path';
import { toError } from '@chandlery/api';
import {
  createLogger,
  type LogSettings,
  loadServerConfig,
  type ServerConfig,
  type Shutdown,
  serverOptions,
} from '@chandlery/platform';
import { type LandscapeOptions, type RunningLandscape, startLandscape } from './landscape.ts';

export interface UpOptions extends Pick<LandscapeOptions, 'endpointsProviders'> {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly print: (text: string) => void;
}

/** `chandlery up`: runs the landscape until it is stopped. The process exits by itself afterwards. */
export async function up(args: readonly string[], { env, cwd, print, ...options }: UpOptions): Promise<void> {
  const { values: config } = loadServerConfig({ argv: args, env, folder: cwd });
  const logSettings = logSettingsOf(config);
  const logger = createLogger({ settings: logSettings });
  // A stray failure of one part must not end the APIs for all tenants; it is a bug, and is logged as one.
  process.on('unhandledRejection', reason => {
    const { message, stack } = toError(reason);
    logger.error('a failure was not handled', { error: message, stack });
  });
  const onServing = (stopping: Shutdown): void => void stopping.listen();
  const landscape = await startLandscape(config, { ...options, logger, logSettings, onServing });
  print(banner(landscape));
  // A process that is killed would leave nothing to the next one, which then starts at half the speed.
  flushCompileCache();
}

function logSettingsOf({ logLevel, logFormat }: ServerConfig): LogSettings {
  const usual = process.stderr.isTTY ? 'text' : 'json';
  return { level: logLevel, format: logFormat === 'auto' ? usual : logFormat };
}

/** How a command finds a landscape that does not keep its data in the default folder. */
const dataDirFlag = (dataDir: string): string =>
  dataDir === serverOptions.dataDir.default ? '' : ` --data-dir ${dataDir}`;

/** Names of fleet instances on this machine. */
const dnsText = (wanted: number, port: number): string =>
  `127.0.0.1:${port} (names of fleet instances${wanted === port ? '' : `; port ${wanted} is taken`})`;

/** What is shown when everything is ready: addresses, files, and what to try next. */
function banner(landscape: RunningLandscape): string {
  const { url, httpUrl, xdsPort, kubeconfigPath, tokenPath, storeText, runsPods, dnsPorts } = landscape;
  const rows = [
    ['console', `${url}/console/ (signed in: npx chandlery console)`],
    ['API', `${url}/clusters/<name>`],
    ...(httpUrl === undefined ? [] : [['plain HTTP', `${httpUrl} (loopback only)`]]),
    ['proxies', `${new URL(url).hostname}:${xdsPort} (xDS, with certificates of the mesh)`],
    ...dnsPorts.map(({ wanted, port }) => ['DNS', dnsText(wanted, port)]),
    ['kubeconfig', kubeconfigPath],
    ['admin token', tokenPath],
    ['data', storeText],
    ...(runsPods ? [['pods', 'processes of this machine: for development only (--local-clusters off)']] : []),
  ] as [string, string][];
  return [
    'Chandlery is ready.',
    '',
    ...rows.map(([name, value]) => `  ${name.padEnd(12)} ${value}`),
    '',
    '  Try:         ' + `kubectl --kubeconfig ${kubeconfigPath} get namespaces`,
    `               npx chandlery provider list${dataDirFlag(dirname(kubeconfigPath))}`,
    '  Stop:        Ctrl-C',
    '',
  ].join('\n');
}
