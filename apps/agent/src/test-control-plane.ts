import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Program } from './model/program.ts';
import type { MeasuredSample } from './samples/parse-exposition.ts';

/** An instance as the control plane lists it. */
export interface ListedInstance {
  readonly id: string;
  readonly [field: string]: unknown;
}

/** What an agent reported of an instance. */
export interface TestReport {
  readonly conditions: readonly { readonly status: string; readonly reason: string; readonly message: string }[];
  readonly versions: Readonly<Record<string, string>>;
  readonly routes: readonly { readonly name: string; readonly prefix: string; readonly router: string }[];
  readonly adminServerURI?: string;
}

export interface TestControlPlaneOptions {
  readonly program?: Program;
  /** Default true. */
  readonly hasLongPoll?: boolean;
  /** Default: any that is free. */
  readonly port?: number;
}

/** The agents' part of a fleet manager, without a fleet manager: it lists what a test puts in and records reports. */
export class TestControlPlane implements AsyncDisposable {
  readonly reports = new Map<string, TestReport>();
  readonly samples = new Map<string, readonly MeasuredSample[]>();
  /** Requests, as `GET /path`. */
  readonly requests: string[] = [];
  clusterReport: unknown;
  /** What agents apply; may be replaced. */
  program: Program | undefined;
  readonly #items = new Map<string, ListedInstance>();
  readonly #options: TestControlPlaneOptions;
  readonly #server = createServer((request, response) => void this.#respond(request, response));
  #revision = 1;

  constructor(options: TestControlPlaneOptions = {}) {
    this.#options = options;
    this.program = options.program;
  }

  async start(): Promise<this> {
    this.#server.listen(this.#options.port ?? 0, '127.0.0.1');
    await once(this.#server, 'listening');
    return this;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  put(item: ListedInstance): void {
    this.#items.set(item.id, item);
    this.#revision++;
  }

  drop(id: string): void {
    this.#items.delete(id);
    this.#revision++;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    if (this.#server.listening) await new Promise(resolve => this.#server.close(resolve));
  }

  async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '', this.url);
    this.requests.push(`${request.method} ${pathname}`);
    const [, id] = /agent-clusters\/c1\/dinosaurs\/([^/]+)$/.exec(pathname) ?? [];
    if (request.method === 'PUT') this.#record(pathname, await readJson(request));
    else if (pathname.endsWith('/c1')) return void response.end(JSON.stringify({ spec: { program: this.program } }));
    else if (id !== undefined) return void response.end(JSON.stringify(this.#items.get(id)));
    else return this.#list(searchParams, response);
    response.writeHead(204).end();
  }

  #record(path: string, body: object): void {
    if (path.endsWith('/dinosaurs/status'))
      for (const [id, report] of Object.entries(body)) this.reports.set(id, report as TestReport);
    else if (path.endsWith('/metrics'))
      for (const [id, samples] of Object.entries(body)) this.samples.set(id, samples as readonly MeasuredSample[]);
    else this.clusterReport = body;
  }

  async #list(query: URLSearchParams, response: ServerResponse): Promise<void> {
    const { hasLongPoll = true } = this.#options;
    const known = query.get('revision');
    const until = Date.now() + Number(query.get('wait') ?? 0) * 1000;
    while (hasLongPoll && known === String(this.#revision) && Date.now() < until && !response.destroyed) await sleep(5);
    if (hasLongPoll && known === String(this.#revision)) return void response.writeHead(304).end();
    const items = [...this.#items.values()].map(item =>
      query.get('secrets') === 'false' ? withoutSecrets(item) : item,
    );
    const revision = hasLongPoll ? { revision: String(this.#revision) } : {};
    response.end(JSON.stringify({ kind: 'ManagedDinosaurList', items, ...revision }));
  }
}

function withoutSecrets(item: ListedInstance): ListedInstance {
  const spec = item['spec'] as { endpoint: object };
  return { ...item, spec: { ...spec, endpoint: { ...spec.endpoint, tls: null }, serviceAccounts: [] } };
}

async function readJson(request: IncomingMessage): Promise<object> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString()) as object;
}

/** An instance for the list of a control plane. */
export interface ListedOptions {
  readonly id: string;
  readonly placementId?: string;
  readonly version?: string;
  readonly isDeleted?: boolean;
  readonly isSuspended?: boolean;
  readonly tls?: { readonly cert: string; readonly key: string };
}

/** An instance as the control plane lists it. */
export const listedInstance = ({
  id,
  placementId = 'p1',
  version = '1.0.0',
  ...options
}: ListedOptions): ListedInstance => ({
  id,
  kind: 'ManagedDinosaur',
  metadata: {
    name: `name-of-${id}`,
    namespace: `dinosaur-${id}`,
    annotations: { 'mas/id': id, 'mas/placementId': placementId },
    labels: { 'mas/suspended': String(options.isSuspended === true) },
  },
  spec: {
    owners: ['ann'],
    endpoint: { host: hostOf(id), tls: options.tls ?? { cert: 'CERT', key: 'KEY' } },
    versions: { dinosaur: version, dinosaurOperator: '1.0.0-1' },
    serviceAccounts: [],
    deleted: options.isDeleted === true,
  },
});

/** The DNS name of an instance of the tests. */
export const hostOf = (id: string): string => `${id}.dinosaurs.example.com`;
