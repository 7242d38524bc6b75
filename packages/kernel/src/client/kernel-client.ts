import {
  apiError,
  badRequest,
  ChandleryError,
  cloneJson,
  type JsonValue,
  type KubeObject,
  listPages,
} from '@chandlery/api';
import type {
  AtomicClient,
  AtomicResult,
  AtomicWrite,
  DeleteOptions,
  KubeList,
  ListOptions,
  ObjectRef,
  PatchBody,
  RequestOptions,
  ResourceRef,
  WatchEvent,
  WatchOptions,
  WriteOptions,
} from '@chandlery/client';
import { Pace } from '@chandlery/platform';
import { isMaster, type UserInfo, wellKnown } from '../access/user.ts';
import type { AuthorizedCall, CallOptions, Calls } from '../calls/calls.ts';
import { endpointOf, fieldManagerCause } from '../calls/request-rules.ts';
import { resourceAttributes, type Verb } from '../calls/resource-attributes.ts';
import type { Kernel } from '../kernel.ts';
import type { OpenList } from '../resources/read.ts';
import type { Target } from '../resources/request.ts';
import type { Served } from '../resources/served.ts';
import { atomicDeps, type Committing, commitAtomically } from './atomic-commit.ts';
import { withinLimits } from './call-limits.ts';
import { findTarget } from './client-target.ts';
import { WatchSession } from './watch-session.ts';

/** The logical cluster of an in-process client, and its user. */
export interface KernelClientOptions {
  readonly cluster: string;
  /** The user whose rights apply. Default: the landscape itself, which may do everything. */
  readonly user?: UserInfo;
  /** The field manager of calls that name none. Default `chandlery`, and none for server-side apply. */
  readonly fieldManager?: string;
}

const itself: UserInfo = { username: 'system:chandlery', groups: [wellKnown.masters] };

/**
 * A client of a logical cluster of this process: behaves like the client over HTTP, without a server, serialisation or
 * a certificate in between. Its creator disposes of it, which also ends its watches.
 */
export const createKernelClient = (kernel: Kernel, options: KernelClientOptions): AtomicClient =>
  new KernelClient(kernel, options);

/** What a call asks for: the verb, the address, and the selector that may name the object of a list. */
interface CallRequest {
  readonly verb: Verb;
  readonly ref: ResourceRef & Partial<ObjectRef>;
  readonly fieldSelector?: string | undefined;
}

class KernelClient implements AtomicClient {
  readonly #kernel: Kernel;
  readonly #options: KernelClientOptions;
  readonly #user: UserInfo;
  readonly #calls: Calls;
  readonly #committing: Committing;
  readonly #sessions = new Set<WatchSession>();
  #isClosed = false;

  constructor(kernel: Kernel, options: KernelClientOptions) {
    this.#kernel = kernel;
    this.#options = options;
    this.#user = options.user ?? itself;
    this.#calls = kernel.calls(this.#user);
    const { cluster, fieldManager = 'chandlery' } = options;
    this.#committing = { cluster, fieldManager, user: this.#user, deps: atomicDeps(kernel) };
  }

  get<T extends KubeObject>(ref: ObjectRef, options: RequestOptions = {}): Promise<T> {
    return withinLimits(options, async () => {
      const { target } = await this.#begin({ verb: 'get', ref });
      if (ref.subresource === 'scale') return (await this.#calls.getScale(target)) as T;
      endpointOf(ref.subresource);
      return (await this.#calls.get(target)).object as T;
    });
  }

  list<T extends KubeObject>(ref: ResourceRef, options: ListOptions = {}): Promise<KubeList<T>> {
    return withinLimits(options, async () => {
      const { fieldSelector } = options;
      const { target } = await this.#begin({ verb: 'list', ref: collectionOf(ref), fieldSelector });
      const page = await this.#calls.list(target, options);
      const { kind, version } = target.resource;
      return {
        apiVersion: version.apiVersion,
        kind: kind.listKind,
        metadata: {
          resourceVersion: String(page.revision),
          ...(page.continue === undefined ? {} : { continue: page.continue }),
          ...(page.remaining === undefined ? {} : { remainingItemCount: page.remaining }),
        },
        items: (await objectsOf(page)) as T[],
      };
    });
  }

  listAll<T extends KubeObject>(ref: ResourceRef, options: ListOptions = {}): AsyncGenerator<T> {
    return listPages(page => this.list<T>(ref, page), options);
  }

  create<T extends KubeObject>(ref: ResourceRef | ObjectRef, object: T, options: WriteOptions = {}): Promise<T> {
    return withinLimits(options, async () => {
      if ('subresource' in ref) return (await this.#createSubresource(ref, object, options)) as T;
      const call = await this.#begin({ verb: 'create', ref: collectionOf(ref) });
      return (await this.#calls.create(call, this.#write(options), copyOf(object))).object as T;
    });
  }

  update<T extends KubeObject>(ref: ObjectRef, object: T, options: WriteOptions = {}): Promise<T> {
    return withinLimits(options, async () => {
      const call = await this.#begin({ verb: 'update', ref });
      const write = this.#write(options);
      if (ref.subresource === 'scale') return (await this.#calls.updateScale(call, write, copyOf(object))) as T;
      const request = { endpoint: endpointOf(ref.subresource), body: copyOf(object) };
      return (await this.#calls.update(call, write, request)).object as T;
    });
  }

  patch<T extends KubeObject>(ref: ObjectRef, patch: PatchBody, options: WriteOptions = {}): Promise<T> {
    return withinLimits(options, async () => {
      const call = await this.#begin({ verb: 'patch', ref });
      if (patch.type === 'apply') return (await this.#apply(call, ref, patch, options)) as T;
      const write = this.#write(options);
      const request = { type: patch.type, patch: copyOf(patch.body) };
      if (ref.subresource === 'scale') return (await this.#calls.patchScale(call, write, request)) as T;
      const endpoint = endpointOf(ref.subresource);
      return (await this.#calls.patch(call, write, { endpoint, ...request })).object as T;
    });
  }

  delete(ref: ObjectRef, options: DeleteOptions = {}): Promise<KubeObject> {
    return withinLimits(options, async () => {
      const call = await this.#begin({ verb: 'delete', ref });
      const { served, status } = await this.#calls.delete(call, this.#write(options), options);
      return status ?? served.object;
    });
  }

  async commit(writes: readonly AtomicWrite[]): Promise<readonly AtomicResult[]> {
    if (this.#isClosed) throw closed();
    return commitAtomically(this.#kernel, this.#committing, writes);
  }

  async *watch<T extends KubeObject>(ref: ResourceRef, options: WatchOptions = {}): AsyncGenerator<WatchEvent<T>> {
    const { signal, fieldSelector, idleTimeoutMs } = options;
    if (signal?.aborted) return;
    const request: CallRequest = { verb: 'watch', ref: collectionOf(ref), fieldSelector };
    const { target } = await withinLimits({}, () => this.#begin(request));
    using session = this.#follow(target, options);
    for (;;) {
      const items = await session.queue.take(idleTimeoutMs);
      if (items === undefined) return;
      for (const item of items) {
        if (signal?.aborted) return;
        if (!session.isKnown(item)) yield session.eventOf<T>(item);
      }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    for (const session of this.#sessions) session.queue.end(closed());
  }

  async #begin({ verb, ref, fieldSelector }: CallRequest): Promise<AuthorizedCall> {
    if (this.#isClosed) throw closed();
    const { cluster } = this.#options;
    const target = await findTarget(this.#kernel, cluster, verb, ref);
    if (isMaster(this.#user)) return { target };
    const access = await this.#kernel.access.of(cluster);
    const requester = { user: this.#user, access, cluster };
    const visibility = await this.#kernel.authorize(requester, resourceAttributes(verb, ref, fieldSelector));
    return { access, target: visibility === undefined ? target : { ...target, visibility } };
  }

  #write({ fieldManager, isDryRun, fieldValidation }: WriteOptions): CallOptions {
    const manager = fieldManager ?? this.#options.fieldManager ?? 'chandlery';
    const cause = fieldManagerCause(manager);
    if (cause !== undefined) throw badRequest(`${cause.field}: ${cause.message}`);
    const validation = fieldValidation && { fieldValidation };
    return { fieldManager: manager, isInternal: true, dryRun: isDryRun ?? false, ...validation };
  }

  async #apply(
    call: AuthorizedCall,
    { subresource }: ObjectRef,
    { body, force = false }: PatchBody & { type: 'apply' },
    options: WriteOptions,
  ): Promise<KubeObject> {
    if (subresource === 'scale') throw apiError('UnsupportedMediaType', 'a scale cannot be applied, only patched');
    if (!(options.fieldManager ?? this.#options.fieldManager))
      throw badRequest('server-side apply needs a fieldManager');
    const request = { endpoint: endpointOf(subresource), body: copyOf(body), force };
    return (await this.#calls.apply(call, this.#write(options), request)).served.object;
  }

  async #createSubresource(ref: ObjectRef, object: KubeObject, options: WriteOptions): Promise<KubeObject> {
    const call = await this.#begin({ verb: 'create', ref });
    const { subresource = '' } = ref;
    return this.#calls.createSubresource({ ...call, subresource }, this.#write(options), copyOf(object));
  }

  #follow(target: Target, options: WatchOptions): WatchSession {
    const session = new WatchSession({ calls: this.#calls, feed: this.#kernel.feed }, target, options);
    this.#sessions.add(session);
    session.onDispose(() => this.#sessions.delete(session));
    return session;
  }
}

/** The objects of a list. Yields to other requests while it parses a long one. */
async function objectsOf({ items, rest }: OpenList): Promise<KubeObject[]> {
  const pace = new Pace();
  const objects: KubeObject[] = [];
  const parse = async (some: readonly Served[]): Promise<void> => {
    for (const { object } of some) {
      objects.push(object);
      if (pace.isDue) await pace.rest();
    }
  };
  await parse(items);
  if (rest !== undefined) for await (const some of rest) await parse(some);
  return objects;
}

/** The collection of a reference. */
const collectionOf = ({ group, version, plural, namespace }: ResourceRef): ResourceRef => ({
  group,
  version,
  plural,
  ...(namespace === undefined ? {} : { namespace }),
});

/** A copy of the caller's object: calls change their bodies, and results may share parts with them. */
const copyOf = (value: object): JsonValue => cloneJson(value as unknown as JsonValue);

const closed = (): ChandleryError => new ChandleryError('ConnectionFailed', 'the client was closed');
