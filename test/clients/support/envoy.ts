import { eventually, type ProcessResult, type RunningProcess, runProcess, startProcess } from '@chandlery/testing';
import { fetch } from 'undici';

/** The options of an Envoy. */
export interface EnvoyOptions {
  readonly binary: string;
  /** The path of its bootstrap. */
  readonly bootstrap: string;
  /** Port of its administration, as in the bootstrap. */
  readonly adminPort: number;
  /** Where it runs. Default: beside the test. */
  readonly place?: EnvoyPlace;
}

/** A place where programs run. */
export interface EnvoyPlace {
  /** The beginning of a command line that runs a program there. */
  readonly enter: readonly string[];
  /** Sends a GET there. */
  get(url: string): Promise<{ readonly outcome: string; readonly text: string }>;
}

const besideTheTest: EnvoyPlace = {
  enter: [],
  get: async url => {
    const answer = await fetch(url);
    return { outcome: String(answer.status), text: await answer.text() };
  },
};

/** An Envoy that runs beside the test, seen through its administration. */
export class Envoy implements AsyncDisposable {
  readonly #process: RunningProcess;
  readonly #get: (path: string) => ReturnType<EnvoyPlace['get']>;

  /** @param get asks its administration */
  constructor(process: RunningProcess, get: (path: string) => ReturnType<EnvoyPlace['get']>) {
    this.#process = process;
    this.#get = get;
  }

  /** Kills the process. */
  async kill(): Promise<void> {
    await this.#process.kill9();
  }

  /** Its configuration dump. */
  async config(): Promise<EnvoyConfig> {
    const { configs } = (await this.#ask('/config_dump')) as { configs: readonly ConfigSection[] };
    return readConfig(configs);
  }

  /** The addresses of a cluster, sorted. */
  async endpoints(cluster: string): Promise<readonly string[]> {
    return (await this.#hosts(cluster)).map(addressOf).sort();
  }

  /** The addresses of a cluster that have failed Envoy's own health checks, sorted. */
  async failingEndpoints(cluster: string): Promise<readonly string[]> {
    const hosts = await this.#hosts(cluster);
    return hosts
      .filter(({ health_status: health }) => health?.failed_active_health_check)
      .map(addressOf)
      .sort();
  }

  /** The counters whose names match. */
  async counters(pattern: RegExp): Promise<readonly Counter[]> {
    const { stats } = (await this.#ask('/stats?format=json&type=Counters')) as { stats: readonly Counter[] };
    return stats.filter(({ name }) => pattern.test(name));
  }

  /** The serial numbers of the certificates that it uses, hexadecimal. */
  async serials(): Promise<readonly string[]> {
    const { certificates } = (await this.#ask('/certs')) as { certificates: readonly DumpedCertificates[] };
    return certificates.flatMap(({ cert_chain: chain = [] }) => chain.map(({ serial_number: serial }) => serial));
  }

  /** Its output, to debug a failure. */
  log(): string {
    return this.#process.output();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#process[Symbol.asyncDispose]();
  }

  async #hosts(cluster: string): Promise<readonly HostStatus[]> {
    const { cluster_statuses: all } = (await this.#ask('/clusters?format=json')) as {
      cluster_statuses: readonly ClusterStatus[];
    };
    return all.find(({ name }) => name === cluster)?.host_statuses ?? [];
  }

  async #ask(path: string): Promise<unknown> {
    const { outcome, text } = await this.#get(path);
    if (outcome !== '200') throw new Error(`Envoy answered ${path} with ${outcome}`);
    return JSON.parse(text);
  }
}

/** The configuration of an Envoy. */
export interface EnvoyConfig {
  /** All of it, as JSON. */
  readonly text: string;
  readonly activeClusters: readonly string[];
  readonly activeListeners: readonly string[];
  readonly activeSecrets: readonly string[];
  /** The routes of a name, as JSON. */
  readonly routes: (name: string) => string;
  /** The active listener of a name, as JSON. */
  readonly listener: (name: string) => string;
  /** Names of resources that it still waits for, or could not apply. */
  readonly unfinished: readonly string[];
}

interface Counter {
  readonly name: string;
  readonly value: number;
}

type ConfigSection = Readonly<Record<string, unknown>>;

function readConfig(configs: readonly ConfigSection[]): EnvoyConfig {
  const all = <T>(field: string): readonly T[] => configs.flatMap(section => (section[field] ?? []) as readonly T[]);
  const clusters = (state: string) =>
    all<DumpedCluster>(`dynamic_${state}_clusters`).map(({ cluster }) => cluster.name);
  const secrets = (state: string) => all<Named>(`dynamic_${state}_secrets`).map(({ name }) => name);
  const routes = all<DumpedRoutes>('dynamic_route_configs').map(({ route_config: config }) => config);
  const listeners = all<DumpedListener>('dynamic_listeners');
  const active = listeners.filter(isActive);
  return {
    text: JSON.stringify(configs),
    activeClusters: clusters('active').toSorted(),
    activeSecrets: secrets('active').toSorted(),
    activeListeners: active.map(({ name }) => name).toSorted(),
    routes: name => JSON.stringify(routes.find(each => each.name === name) ?? null),
    listener: name => JSON.stringify(active.find(each => each.name === name) ?? null),
    unfinished: [
      ...clusters('warming'),
      ...secrets('warming'),
      ...listeners.filter(each => !isActive(each)).map(({ name }) => name),
    ],
  };
}

interface Named {
  readonly name: string;
}

interface DumpedListener extends Named {
  readonly active_state?: object;
  readonly warming_state?: object;
  readonly error_state?: object;
}

const isActive = ({ active_state, warming_state, error_state }: DumpedListener): boolean =>
  active_state !== undefined && warming_state === undefined && error_state === undefined;

interface DumpedCertificates {
  readonly cert_chain?: readonly { readonly serial_number: string }[];
}

interface DumpedCluster {
  readonly cluster: Named;
}

interface DumpedRoutes {
  readonly route_config: Named;
}

interface ClusterStatus extends Named {
  readonly host_statuses?: readonly HostStatus[];
}

interface HostStatus {
  readonly address: { readonly socket_address: { readonly address: string; readonly port_value: number } };
  readonly health_status?: { readonly failed_active_health_check?: boolean };
}

const addressOf = ({ address: { socket_address: at } }: HostStatus): string => `${at.address}:${at.port_value}`;

/** Validates a bootstrap with an Envoy. */
export const validateBootstrap = (binary: string, bootstrap: string): Promise<ProcessResult> =>
  runProcess(binary, ['--mode', 'validate', '-c', bootstrap]);

/** Seconds until connections of removed listeners are closed, as documented. */
const drainSeconds = 5;

/** Starts an Envoy with a bootstrap of the mesh. */
export async function startEnvoy(options: EnvoyOptions): Promise<Envoy> {
  const { binary, bootstrap, adminPort, place = besideTheTest } = options;
  const [program = binary, ...args] = [...place.enter, binary];
  const process = await startProcess(program, [
    ...args,
    ...['-c', bootstrap, '--concurrency', '1', '--disable-hot-restart', '--log-level', 'warning'],
    ...['--drain-time-s', String(drainSeconds), '--drain-strategy', 'immediate'],
  ]);
  const get = (path: string) => place.get(`http://127.0.0.1:${adminPort}${path}`);
  const isLive = async (): Promise<boolean> => (await get('/ready')).outcome === '200';
  try {
    await Promise.race([
      eventually(isLive, { timeoutMs: 30_000, what: 'Envoy to be ready' }),
      process.ended.then(() => Promise.reject(new Error('Envoy has ended'))),
    ]);
    return new Envoy(process, get);
  } catch (cause) {
    await process.kill9();
    throw new Error(`${String(cause)}; it had printed:\n${process.output()}`, { cause });
  }
}
