import { ChandleryError, type JsonObject } from '@chandlery/api';
import { createClient, type HttpClient, type RawResponse } from '@chandlery/client';
import { isLoopbackHost } from '@chandlery/platform';
import type { InstanceStatus } from '../model/instance-status.ts';
import type { Program } from '../model/program.ts';
import type { MeasuredSample } from '../samples/parse-exposition.ts';

/** Where the fleet manager is, and as whom to speak to it. */
export interface ControlPlaneOptions {
  readonly url: string;
  /** Whom to trust. Default: what the system trusts. */
  readonly caPem?: string | undefined;
  /** A file with whom to trust, read again now and then. */
  readonly caFile?: string | undefined;
  readonly product: string;
  readonly clusterId: string;
  readonly token?: string | undefined;
  /** Read again now and then; wins over `token`. */
  readonly tokenFile?: string | undefined;
}

/** The instances of the cluster, as the control plane wants them. */
export interface DesiredList {
  /** `ManagedDinosaurList`. */
  readonly kind: string;
  readonly items: readonly JsonObject[];
  /** Undefined: the server has no long poll. */
  readonly revision: string | undefined;
}

/** What the agent reports of its cluster. */
export interface ClusterStatus {
  readonly isReady: boolean;
  readonly reason: string;
  readonly message: string;
  readonly operatorVersions: Program['operatorVersions'];
  readonly capacity: JsonObject | undefined;
}

/** After which a server that keeps a poll for too long counts as unreachable. */
const pollGraceSeconds = 15;

/** The agent's part of the fleet manager's REST API. All calls reject with `ChandleryError`. */
export class ControlPlane implements AsyncDisposable {
  readonly #client: HttpClient;
  readonly #cluster: string;
  readonly #instances: string;

  constructor({ url, caPem, caFile, product, clusterId, token, tokenFile }: ControlPlaneOptions) {
    checkAddress(url);
    this.#client = createClient({
      server: url,
      userAgent: 'chandlery-agent',
      timeoutMs: 10_000,
      ...(caPem === undefined ? {} : { caPem }),
      ...(caFile === undefined ? {} : { caFile }),
      ...(token === undefined ? {} : { token }),
      ...(tokenFile === undefined ? {} : { tokenFile }),
    });
    this.#cluster = `/api/${product}_mgmt/v1/agent-clusters/${encodeURIComponent(clusterId)}`;
    this.#instances = `${this.#cluster}/${product}`;
  }

  /** The program of the product; undefined when the control plane has none for agents. */
  async readProgram(signal: AbortSignal): Promise<Program | undefined> {
    const response = await this.#client.raw(this.#cluster, { signal });
    const { spec } = (await response.json()) as { readonly spec?: { readonly program?: Program } };
    return spec?.program;
  }

  /** The instances; undefined when the revision is still the one that is known. */
  async list(
    known: { readonly revision: string | undefined; readonly waitSeconds: number },
    signal: AbortSignal,
  ): Promise<DesiredList | undefined> {
    const wait = known.revision === undefined ? {} : { revision: known.revision, wait: known.waitSeconds };
    const response = await this.#client.raw(this.#instances, {
      query: { ...wait, secrets: false },
      accept: [304],
      timeoutMs: (known.waitSeconds + pollGraceSeconds) * 1000,
      signal,
    });
    return response.status === 304 ? void (await response.text()) : readList(response);
  }

  /** One instance with its secrets; undefined when there is no such instance, or no such call. */
  async readInstance(id: string, signal: AbortSignal): Promise<JsonObject | undefined> {
    const response = await this.#client.raw(`${this.#instances}/${encodeURIComponent(id)}`, {
      accept: [404, 405],
      signal,
    });
    return response.status === 200 ? ((await response.json()) as JsonObject) : void (await response.text());
  }

  async reportInstances(statuses: ReadonlyMap<string, InstanceStatus>, singular: string): Promise<void> {
    const body = Object.fromEntries([...statuses].map(([id, status]) => [id, instanceBody(status, singular)]));
    await this.#put(`${this.#instances}/status`, body);
  }

  async reportCluster(status: ClusterStatus, singular: string): Promise<void> {
    await this.#put(`${this.#cluster}/status`, clusterBody(status, singular));
  }

  /** Returns whether the control plane takes samples at all. */
  async sendSamples(samples: ReadonlyMap<string, readonly MeasuredSample[]>): Promise<boolean> {
    const { status } = await this.#put(`${this.#cluster}/metrics`, Object.fromEntries(samples), [404, 405]);
    return status < 300;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client[Symbol.asyncDispose]();
  }

  async #put(path: string, body: object, accept: readonly number[] = []): Promise<RawResponse> {
    const headers = { 'content-type': 'application/json' };
    const response = await this.#client.raw(path, { method: 'PUT', headers, body: JSON.stringify(body), accept });
    await response.text();
    return response;
  }
}

/** A token must not be sent in clear text to another machine. */
function checkAddress(url: string): void {
  if (!URL.canParse(url)) throw new ChandleryError('InvalidValue', `the control plane's address "${url}" is not a URL`);
  const { protocol, hostname } = new URL(url);
  if (protocol === 'https:' || (protocol === 'http:' && isLoopbackHost(hostname))) return;
  throw new ChandleryError('InvalidValue', `the control plane's address ${url} is not https`, {
    hint: 'Plain http is accepted on this machine only.',
  });
}

async function readList(response: RawResponse): Promise<DesiredList> {
  const { kind, items, revision } = (await response.json()) as Partial<Record<string, unknown>>;
  if (typeof kind !== 'string' || !Array.isArray(items))
    throw new ChandleryError('UnexpectedAnswer', 'the list of instances has no kind or items');
  const known = typeof revision === 'string' || typeof revision === 'number' ? String(revision) : undefined;
  return { kind, items: items as JsonObject[], revision: known };
}

const instanceBody = (
  { condition, versions, routes, adminUrl, endpoints }: InstanceStatus,
  singular: string,
): object => ({
  conditions: [{ type: 'Ready', ...condition }],
  versions: versions === undefined ? {} : { [singular]: versions.product, [`${singular}Operator`]: versions.operator },
  routes,
  endpoints,
  ...(adminUrl === undefined ? {} : { adminServerURI: adminUrl }),
});

const clusterBody = (status: ClusterStatus, singular: string): object => ({
  conditions: [
    { type: 'Ready', status: status.isReady ? 'True' : 'False', reason: status.reason, message: status.message },
  ],
  [`${singular}Operator`]: status.operatorVersions.map(({ version, productVersions }) => ({
    version,
    ready: true,
    [`${singular}Versions`]: productVersions,
  })),
  ...(status.capacity === undefined ? {} : { capacity: status.capacity }),
});
