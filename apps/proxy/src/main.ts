import { readFileSync, rmSync } from 'node:fs';
import { ChandleryError, isError } from '@chandlery/api';
import { type ConnectionOptions, createClient, loadInClusterConfig, loadKubeconfig } from '@chandlery/client';
import { createLogger, type Logger, runProgram, Shutdown } from '@chandlery/platform';
import { createCloudFoundryAdapter } from './adapters/cloud-foundry/create-cloud-foundry-adapter.ts';
import { createKubernetesAdapter } from './adapters/kubernetes/create-kubernetes-adapter.ts';
import { loadProxyConfig, type ProxyConfig, proxyHelp, required, settingsOf } from './config.ts';
import { leave } from './leave.ts';
import { createNaming } from './model/proxy-names.ts';
import type { PlatformAdapter } from './ports.ts';
import { startProxy } from './run-proxy.ts';
import { defaultSettings } from './settings.ts';

/**
 * Runs the proxy until it is stopped by a signal, or with the command `leave` deregisters it. Returns the exit code when it
 * has ended or could not start.
 */
export const main = (argv: readonly string[]): Promise<number | undefined> =>
  runProgram(argv, { name: 'chandlery-proxy', help: proxyHelp, run: start });

async function start(argv: readonly string[]): Promise<number | undefined> {
  const isLeaving = argv[0] === leaveCommand;
  const config = loadProxyConfig({ argv: isLeaving ? argv.slice(1) : argv, env: process.env });
  const logger = createLogger({ level: config.logLevel, format: config.logFormat });
  if (isLeaving) return await leavePlatform(config, logger);
  await run(config, logger);
  return undefined;
}

async function run(config: ProxyConfig, logger: Logger): Promise<void> {
  const stopping = new Shutdown({ logger });
  const tls = tlsOf(config);
  const proxy = await startProxy({
    serviceManager: {
      url: required(config, 'serviceManagerUrl'),
      username: required(config, 'serviceManagerUser'),
      password: required(config, 'serviceManagerPassword'),
      caPem: pemOf(config.serviceManagerCa, '--service-manager-ca'),
    },
    platform: await openPlatform(config, logger),
    settings: settingsOf(config),
    stateFile: config.stateFile,
    listen: { host: config.host, port: config.port, tls },
    dataPath: config.dataPathUrl,
    logger,
  });
  stopping.use('proxy', proxy);
  process.on('SIGHUP', () => proxy.rotateCredentials());
  stopping.listen();
  logger.info('the broker proxy runs', { health: `${proxy.url}/healthz`, platform: config.platform });
}

const leaveCommand = 'leave';

/** Deregisters the proxy from its platform. The service manager need not be reachable. */
async function leavePlatform(config: ProxyConfig, logger: Logger): Promise<number> {
  const serviceManagerUrl = required(config, 'serviceManagerUrl');
  const settings = { ...defaultSettings, ...settingsOf(config) };
  await using platform = await openPlatform(config, logger);
  const naming = createNaming({ settings, serviceManagerUrl, platform, dataPath: config.dataPathUrl });
  const { maxParallelRequests, requestTimeoutMs: timeoutMs } = settings;
  await leave({ platform, naming, maxParallelRequests, timeoutMs, print: line => console.log(line) });
  // A proxy that starts again has to compare everything, which it does when it remembers nothing.
  if (config.stateFile !== undefined) rmSync(config.stateFile, { force: true });
  return 0;
}

async function openPlatform(config: ProxyConfig, logger: Logger): Promise<PlatformAdapter> {
  if (config.platform === 'cloudfoundry') return openCloudFoundry(config, logger);
  const { kubeconfig, kubeContext } = config;
  const connection = kubeconfig === undefined ? ownCluster() : connectionIn(kubeconfig, kubeContext);
  return createKubernetesAdapter({
    client: createClient(connection),
    logger,
    secretNamespace: config.secretNamespace,
    targetNamespace: config.targetNamespace,
    caPem: pemOf(config.serviceManagerCa, '--service-manager-ca'),
    pollMs: config.brokerPollMs,
    retryMs: config.brokerRetryMs,
  });
}

function connectionIn(kubeconfig: string, context: string | undefined): ConnectionOptions {
  try {
    return loadKubeconfig(kubeconfig, context === undefined ? {} : { context });
  } catch (error) {
    if (!isError(error, 'KubeconfigInvalid')) throw error;
    throw new ChandleryError(error.code, error.message, {
      hint: 'Name the kubeconfig of the platform, and its context, with --kubeconfig and --kube-context.',
      cause: error,
    });
  }
}

function ownCluster(): ConnectionOptions {
  try {
    return loadInClusterConfig();
  } catch (error) {
    if (!isError(error, 'NotInCluster')) throw error;
    throw new ChandleryError('NotInCluster', `it is not known which cluster to serve: ${error.message}`, {
      hint: 'Name a kubeconfig by --kubeconfig or CHANDLERY_PROXY_KUBECONFIG, or run it in the cluster: deploy/proxy/proxy.yaml.',
      cause: error,
    });
  }
}

function openCloudFoundry(config: ProxyConfig, logger: Logger): PlatformAdapter {
  const { cfClient, cfUser } = config;
  return createCloudFoundryAdapter({
    url: required(config, 'cfApi'),
    login: {
      client: cfClient === undefined ? undefined : { id: cfClient, secret: config.cfClientSecret ?? '' },
      user: cfUser === undefined ? undefined : { username: cfUser, password: required(config, 'cfPassword') },
    },
    caPem: pemOf(config.cfCa, '--cf-ca'),
    isInsecure: config.cfSkipSslValidation,
    jobPollMs: config.cfJobPollMs,
    logger,
  });
}

const pemOf = (path: string | undefined, flag: string): string | undefined =>
  path === undefined ? undefined : readPem(path, flag);

/** Reads a file that a flag names. */
function readPem(path: string, flag: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    const { code = 'unknown' } = cause as NodeJS.ErrnoException;
    throw new ChandleryError('FileUnreadable', `cannot read the file ${path} (${code})`, {
      hint: `Correct ${flag}.`,
      cause,
    });
  }
}

function tlsOf({ tlsCert, tlsKey }: ProxyConfig): { cert: string; key: string } | undefined {
  if (tlsCert === undefined || tlsKey === undefined) return undefined;
  return { cert: readPem(tlsCert, '--tls-cert'), key: readPem(tlsKey, '--tls-key') };
}
