import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ChandleryError } from '@chandlery/api';
import { Agent, fetch } from 'undici';
import { freePorts } from './free-port.ts';
import { type KubectlOptions, kubectl, startKubectl } from './kubectl.ts';
import { type ProcessEnd, type RunningProcess, startProcess } from './processes.ts';
import type { ProcessResult } from './run-process.ts';
import { tempFolder } from './temp-folder.ts';
import { eventually } from './wait-for.ts';

/** What a landscape is started with. */
export interface TestLandscapeOptions {
  /** `postgres://…`. Default: SQLite in the data folder. */
  readonly database?: string;
  /** More flags of `chandlery up`; they win over ours. */
  readonly flags?: readonly string[];
  /** Added to our own environment; `undefined` removes a variable. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Where data lives. Default: a temporary folder that goes away with the landscape. */
  readonly dataDir?: string;
  /** The HTTPS port. Default: a free one. */
  readonly port?: number;
  /** How long a start may take. Default 60,000. */
  readonly readyTimeoutMs?: number;
}

/** A request to the landscape. */
export interface LandscapeRequest {
  /** Default GET, or POST when there is a body. */
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** An object is sent as JSON, text and bytes as they are. */
  readonly body?: unknown;
  /** Default: the administrator's; `null` sends none. */
  readonly token?: string | null;
}

/** What the landscape answered. */
export interface LandscapeAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The text as JSON; throws when it is not. */
  json<T = Record<string, unknown>>(): T;
}

/** One logical cluster of the landscape, as a user with the administrator's kubeconfig sees it. */
export interface TestCluster {
  readonly name: string;
  /** `https://127.0.0.1:…/clusters/<name>`. */
  readonly url: string;
  /** Runs the real kubectl on this logical cluster. */
  kubectl(args: readonly string[], options?: KubectlOptions): Promise<ProcessResult>;
  /** Starts a kubectl that keeps running. */
  startKubectl: typeof startKubectl;
}

/** The real server in a process of its own; leaving the `await using` block kills it and removes its data. */
export interface TestLandscape extends AsyncDisposable {
  /** `https://127.0.0.1:…`; stays the same after a restart. */
  readonly url: string;
  readonly port: number;
  /** Where proxies connect. */
  readonly xdsPort: number;
  readonly dataDir: string;
  /** The path of the administrator's kubeconfig. */
  readonly kubeconfig: string;
  /** The administrator's token. */
  readonly token: string;
  /** The certificate authority, PEM. */
  readonly ca: string;
  /** The server's process; another one after a restart. */
  readonly process: RunningProcess;
  /** Sends one request; `path` begins with `/`. */
  request(path: string, request?: LandscapeRequest): Promise<LandscapeAnswer>;
  /** Creates a logical cluster and waits until kubectl can use it. */
  createCluster(name: string): Promise<TestCluster>;
  /** A logical cluster that exists. */
  cluster(name: string): TestCluster;
  /** Pulls the plug. */
  kill9(): Promise<ProcessEnd>;
  /** Asks the server to stop, as an operator would. */
  stop(): Promise<ProcessEnd>;
  /** Starts it again on the same data and ports; one that still runs is stopped first. */
  restart(): Promise<void>;
}

/** The command that users run. */
const program = join(import.meta.dirname, '../../../apps/cli/bin/chandlery.mjs');

/** Starts the real server on free ports of 127.0.0.1 and waits until it is ready. */
export async function startTestLandscape(options: TestLandscapeOptions = {}): Promise<TestLandscape> {
  const folder = await tempFolder('chandlery-landscape-');
  const dataDir = options.dataDir ?? folder.join('data');
  const [freePort = 0, xdsPort = 0] = await freePorts(2);
  const { port = freePort } = options;
  const flags = ['--data-dir', dataDir, '--port', String(port), '--xds-port', String(xdsPort)];
  if (options.database !== undefined) flags.push('--database', options.database);
  const start = (): Promise<RunningProcess> => startServer([...flags, ...(options.flags ?? [])], options, folder.path);
  try {
    const running = await start();
    return await connect({ port, xdsPort, dataDir, running, start, removeFolder: () => folder[Symbol.asyncDispose]() });
  } catch (failure) {
    await folder[Symbol.asyncDispose]();
    throw failure;
  }
}

const startServer = (
  flags: readonly string[],
  { env, readyTimeoutMs = 60_000 }: TestLandscapeOptions,
  cwd: string,
): Promise<RunningProcess> =>
  startProcess(process.execPath, [program, 'up', ...flags], {
    cwd,
    ...(env === undefined ? {} : { env }),
    ready: /is ready\./,
    readyTimeoutMs,
  });

interface Parts {
  readonly port: number;
  readonly xdsPort: number;
  readonly dataDir: string;
  readonly running: RunningProcess;
  readonly start: () => Promise<RunningProcess>;
  readonly removeFolder: () => PromiseLike<void>;
}

async function connect({ port, xdsPort, dataDir, running, start, removeFolder }: Parts): Promise<TestLandscape> {
  const kubeconfig = join(dataDir, 'admin.kubeconfig');
  const url = `https://127.0.0.1:${port}`;
  const token = (await readFile(join(dataDir, 'admin.token'), 'utf8')).trim();
  const ca = await readFile(join(dataDir, 'ca.crt'), 'utf8');
  const agent = new Agent({ connect: { ca } });
  let server = running;
  const request = (path: string, asked: LandscapeRequest = {}) => send(agent, url + path, { token, ...asked });
  const cluster = (name: string): TestCluster => clusterOf(name, { url, kubeconfig });
  return {
    url,
    port,
    xdsPort,
    dataDir,
    kubeconfig,
    token,
    ca,
    get process() {
      return server;
    },
    request,
    cluster,
    createCluster: async name => {
      await createLogicalCluster(name, { request, kubeconfig });
      return cluster(name);
    },
    kill9: () => server.kill9(),
    stop: () => server.stop(),
    restart: async () => {
      await server.stop();
      server = await start();
    },
    [Symbol.asyncDispose]: async () => {
      await agent.destroy();
      await server.kill9();
      await removeFolder();
    },
  };
}

async function send(agent: Agent, url: string, asked: LandscapeRequest): Promise<LandscapeAnswer> {
  const { body, token, method = body === undefined ? 'GET' : 'POST' } = asked;
  const response = await fetch(url, {
    dispatcher: agent,
    method,
    headers: {
      ...(token === undefined || token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...asked.headers,
    },
    ...(body === undefined ? {} : { body: isSentAsIs(body) ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: new Headers([...response.headers]),
    text,
    json: <T>() => JSON.parse(text) as T,
  };
}

const isSentAsIs = (body: unknown): body is string | Uint8Array<ArrayBuffer> =>
  typeof body === 'string' || body instanceof Uint8Array;

const clusterOf = (name: string, { url, kubeconfig }: Pick<TestLandscape, 'url' | 'kubeconfig'>): TestCluster => ({
  name,
  url: `${url}/clusters/${name}`,
  kubectl: (args, options = {}) => kubectl(args, { kubeconfig, context: name, ...options }),
  startKubectl: (args, options = {}) => startKubectl(args, { kubeconfig, context: name, ...options }),
});

const logicalClusters = '/clusters/platform/apis/core.chandlery.io/v1alpha1/logicalclusters';

async function createLogicalCluster(
  name: string,
  { request, kubeconfig }: Pick<TestLandscape, 'request' | 'kubeconfig'>,
): Promise<void> {
  const body = { apiVersion: 'core.chandlery.io/v1alpha1', kind: 'LogicalCluster', metadata: { name } };
  const created = await request(logicalClusters, { body });
  if (created.status !== 201) {
    throw new ChandleryError('CannotCreate', `cannot create logical cluster "${name}": ${created.text}`);
  }
  // The administrator's kubeconfig gets its new context a moment after the cluster is there.
  await eventually(async () => (await readFile(kubeconfig, 'utf8')).includes(`/clusters/${name}\n`), {
    what: `the context "${name}" in ${kubeconfig}`,
  });
  await eventually(async () => (await request(`/clusters/${name}/api/v1/namespaces/default`)).status === 200, {
    what: `logical cluster "${name}" to answer`,
  });
}
