import { Child } from '../brokers/child.ts';
import type {
  Change,
  Cost,
  CrowdJob,
  CrowdUsage,
  IssuedToClient,
  Memory,
  MeshShape,
  ServerJob,
  Started,
  SubjectKind,
  Subscription,
} from './jobs.ts';

/** Clients that connect together. */
export interface Crowd extends Subscription {
  readonly connections: number;
}

/** The cost of a change until all subscribers have acknowledged it. */
export interface PushedChange extends Cost {
  readonly clientCpuMs: number;
  /** Size of all responses. */
  readonly bytes: number;
}

/** A server and its clients, each in a process of its own, which end with this one. */
export class Rig implements AsyncDisposable {
  readonly #server: Child;
  readonly #clients: Child;
  readonly #started: Started;

  private constructor(server: Child, clients: Child, started: Started) {
    this.#server = server;
    this.#clients = clients;
    this.#started = started;
  }

  static async start(kind: SubjectKind, mesh: MeshShape): Promise<Rig> {
    await using stack = new AsyncDisposableStack();
    const server = stack.use(new Child('../mesh/server-process.ts'));
    const clients = stack.use(new Child('../mesh/crowd-process.ts'));
    const started = await server.run<Started>({ type: 'start', kind, mesh } satisfies ServerJob);
    stack.move();
    return new Rig(server, clients, started);
  }

  /** Issues certificates for clients that {@link connect} later. */
  issue({ connections: count, streamsPerConnection }: Crowd): Promise<readonly IssuedToClient[]> {
    return this.#request({ type: 'issue', count, withProxyIds: streamsPerConnection === 1 });
  }

  /** Resolves when all streams have acknowledged their first response. */
  async connect(crowd: Crowd, certificates: readonly IssuedToClient[]): Promise<Cost> {
    const requests = 2 * certificates.length * crowd.streamsPerConnection;
    const answered = this.#request<Cost>({ type: 'watch', requests });
    const { streamsPerConnection, mode, type, nameSets } = crowd;
    const subscription: Subscription = { streamsPerConnection, mode, type, nameSets };
    await this.#requestClients({ type: 'open', server: this.#started, certificates, subscription });
    return answered;
  }

  /** Resolves when the given number of streams have acknowledged the change. */
  async change(change: Change, streams: number): Promise<PushedChange> {
    const before = await this.#requestClients<CrowdUsage>({ type: 'usage' });
    const cost = await this.#request<Cost>({ type: 'watch', requests: streams, change });
    const after = await this.#requestClients<CrowdUsage>({ type: 'usage' });
    return { ...cost, clientCpuMs: after.cpuMs - before.cpuMs, bytes: after.bytes - before.bytes };
  }

  memory(): Promise<Memory> {
    return this.#request({ type: 'memory' });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#clients[Symbol.asyncDispose]();
    await this.#server[Symbol.asyncDispose]();
  }

  #request<Result>(job: ServerJob): Promise<Result> {
    return this.#server.run<Result>(job);
  }

  #requestClients<Result>(job: CrowdJob): Promise<Result> {
    return this.#clients.run<Result>(job);
  }
}

/** Starts a server with connected clients. */
export async function startWith(kind: SubjectKind, mesh: MeshShape, crowds: readonly Crowd[]): Promise<Rig> {
  await using stack = new AsyncDisposableStack();
  const rig = stack.use(await Rig.start(kind, mesh));
  for (const crowd of crowds) await rig.connect(crowd, await rig.issue(crowd));
  stack.move();
  return rig;
}

/** Starts two at the same time; when one fails, both are stopped. */
export async function startTwo(
  first: Promise<Rig>,
  second: Promise<Rig>,
  stack: AsyncDisposableStack,
): Promise<readonly [Rig, Rig]> {
  const outcomes = await Promise.allSettled([first, second]);
  for (const outcome of outcomes) if (outcome.status === 'fulfilled') stack.use(outcome.value);
  return [await first, await second];
}
