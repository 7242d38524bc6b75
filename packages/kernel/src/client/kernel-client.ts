import { apiError, badRequest, ChandleryError, type JsonValue, type KubeObject } from '@chandlery/api';
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
import type { ClusterAccess } from '../access/cluster-access.ts';
import { type UserInfo, wellKnown } from '../access/user.ts';
import type { Kernel } from '../kernel.ts';
import { cloneJson } from '../patch/json-values.ts';
import { applyObject } from '../resources/apply.ts';
import { createObject } from '../resources/create.ts';
import { deleteObject } from '../resources/delete.ts';
import { updateObject } from '../resources/mutate.ts';
import { patchObject } from '../resources/patch.ts';
import { getObject, type OpenList, openList } from '../resources/read.ts';
import type { WriteOptions as KernelWrite, Target } from '../resources/request.ts';
import { getScale, patchScale, updateScale } from '../resources/scale.ts';
import type { Served } from '../resources/served.ts';
import { asKubeObject } from '../resources/shape.ts';
import { atomicNeeds, type Committing, commitAtomically } from './atomic-commit.ts';
import { withinLimits } from './call-limits.ts';
import { authorizeApply, authorizeWish, deletedStatus, type Wish } from './client-rights.ts';
import { endpointOf, findTarget } from './client-target.ts';
import { createBelow } from './create-below.ts';
import { WatchSession } from './watch-session.ts';

/** Which logical cluster a client in process is of, and who it is. */
export interface KernelClientOptions {
  readonly cluster: string;
  /** Whose rights are asked for. Default: the landscape itself, which may do everything. */
  readonly user?: UserInfo;
  /** In whose name fields are written by calls that name nobody. Default `chandlery`, and nobody for server-side apply. */
  readonly fieldManager?: string;
}

const itself: UserInfo = { username: 'system:chandlery', groups: [wellKnown.masters] };
const scaleType = { apiVersion: 'autoscaling/v1', kind: 'Scale' };
const pageSize = 500;

/**
 * A client of a logical cluster of this process: what the same client over HTTP would do, without a server, bytes or a
 * certificate in between. Whoever makes it disposes of it, which also ends its watches.
 */
export const createKernelClient = (kernel: Kernel, options: KernelClientOptions): AtomicClient =>
  new KernelClient(kernel, options);

/** A call whose target is found and allowed. */
interface Call {
  readonly target: Target;
  readonly access?: ClusterAccess;
}

class KernelClient implements AtomicClient {
  readonly #kernel: Kernel;
  readonly #options: KernelClientOptions;
  readonly #user: UserInfo;
  readonly #committing: Committing;
  readonly #sessions = new Set<WatchSession>();
  #isClosed = false;

  constructor(kernel: Kernel, options: KernelClientOptions) {
    this.#kernel = kernel;
    this.#options = options;
    this.#user = options.user ?? itself;
    const { cluster, fieldManager = 'chandlery' } = options;
    this.#committing = { cluster, fieldManager, user: this.#user, needs: atomicNeeds(kernel) };
  }

  get<T extends KubeObject>(ref: ObjectRef, options: RequestOptions = {}): Promise<T> {
    return withinLimits(options, async () => {
      const { target } = await this.#begin({ verb: 'get', ref });
      const { needs } = this.#kernel;
      if (ref.subresource === 'scale') return (await getScale(needs, target)) as T;
      endpointOf(ref.subresource);
      return (await getObject(needs, target)).object as T;
    });
  }

  list<T extends KubeObject>(ref: ResourceRef, options: ListOptions = {}): Promise<KubeList<T>> {
    return withinLimits(options, async () => {
      const { fieldSelector } = options;
      const { target } = await this.#begin({ verb: 'list', ref: collectionOf(ref), fieldSelector });
      const page = await openList(this.#kernel.needs, target, options);
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

  async *listAll<T extends KubeObject>(ref: ResourceRef, options: ListOptions = {}): AsyncGenerator<T> {
    let page = await this.list<T>(ref, { limit: pageSize, ...options });
    yield* page.items;
    // A continue token stands for the revision too; both together are refused.
    const { resourceVersion: _, resourceVersionMatch: __, ...rest } = options;
    while (page.metadata.continue) {
      page = await this.list<T>(ref, { limit: pageSize, ...rest, continue: page.metadata.continue });
      yield* page.items;
    }
  }

  create<T extends KubeObject>(ref: ResourceRef | ObjectRef, object: T, options: WriteOptions = {}): Promise<T> {
    return withinLimits(options, async () => {
      if ('subresource' in ref) return (await this.#createBelow(ref, object, options)) as T;
      const call = await this.#begin({ verb: 'create', ref: collectionOf(ref) });
      const served = await createObject(
        this.#kernel.needs,
        call.target,
        this.#write(call, options),
        bodyOf(call, object),
      );
      return served.object as T;
    });
  }

  update<T extends KubeObject>(ref: ObjectRef, object: T, options: WriteOptions = {}): Promise<T> {
    return withinLimits(options, async () => {
      const call = await this.#begin({ verb: 'update', ref });
      const { needs } = this.#kernel;
      const write = this.#write(call, options);
      if (ref.subresource === 'scale')
        return (await updateScale(needs, call.target, write, asKubeObject(copyOf(object), scaleType))) as T;
      const request = { endpoint: endpointOf(ref.subresource), body: bodyOf(call, object) };
      return (await updateObject(needs, call.target, write, request)).object as T;
    });
  }

  patch<T extends KubeObject>(ref: ObjectRef, patch: PatchBody, options: WriteOptions = {}): Promise<T> {
    return withinLimits(options, async () => {
      const call = await this.#begin({ verb: 'patch', ref });
      if (patch.type === 'apply') return (await this.#apply(call, ref, patch, options)) as T;
      const write = this.#write(call, options);
      const request = { type: patch.type, patch: copyOf(patch.body) };
      const { needs } = this.#kernel;
      if (ref.subresource === 'scale') return (await patchScale(needs, call.target, write, request)) as T;
      const endpoint = endpointOf(ref.subresource);
      return (await patchObject(needs, call.target, write, { endpoint, ...request })).object as T;
    });
  }

  delete(ref: ObjectRef, options: DeleteOptions = {}): Promise<KubeObject> {
    return withinLimits(options, async () => {
      const call = await this.#begin({ verb: 'delete', ref });
      const { target } = call;
      const { served, isGone } = await deleteObject(this.#kernel.needs, target, this.#write(call, options), options);
      const isShown = !isGone || target.resource.kind.resource === '/pods';
      return isShown ? served.object : deletedStatus(target, served.object.metadata.uid);
    });
  }

  async commit(writes: readonly AtomicWrite[]): Promise<readonly AtomicResult[]> {
    if (this.#isClosed) throw closed();
    return commitAtomically(this.#kernel, this.#committing, writes);
  }

  async *watch<T extends KubeObject>(ref: ResourceRef, options: WatchOptions = {}): AsyncGenerator<WatchEvent<T>> {
    const { signal, fieldSelector, idleTimeoutMs } = options;
    if (signal?.aborted) return;
    const wish: Wish = { verb: 'watch', ref: collectionOf(ref), fieldSelector };
    const { target } = await withinLimits({}, () => this.#begin(wish));
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

  async #begin(wish: Wish): Promise<Call> {
    if (this.#isClosed) throw closed();
    const { cluster } = this.#options;
    const target = await findTarget(this.#kernel, cluster, wish.verb, wish.ref);
    const { access, visibility } = await authorizeWish(this.#kernel, { target, user: this.#user }, wish);
    return {
      target: visibility === undefined ? target : { ...target, visibility },
      ...(access === undefined ? {} : { access }),
    };
  }

  #write({ access }: Call, { fieldManager, isDryRun }: WriteOptions): KernelWrite {
    const manager = fieldManager ?? this.#options.fieldManager ?? 'chandlery';
    if (manager.length > 128 || !/^[\x20-\x7e]*$/.test(manager))
      throw badRequest('fieldManager must be at most 128 printable characters');
    return {
      user: this.#user,
      ...(access === undefined ? {} : { access }),
      fieldManager: manager,
      isInternal: true,
      dryRun: isDryRun ?? false,
    };
  }

  async #apply(
    call: Call,
    { subresource }: ObjectRef,
    { body, force = false }: PatchBody & { type: 'apply' },
    options: WriteOptions,
  ): Promise<KubeObject> {
    if (subresource === 'scale') throw apiError('UnsupportedMediaType', 'a scale cannot be applied, only patched');
    if (!(options.fieldManager ?? this.#options.fieldManager))
      throw badRequest('server-side apply needs a fieldManager');
    const endpoint = endpointOf(subresource);
    const write = this.#write(call, options);
    await authorizeApply(this.#kernel, write, call.target);
    const applied = asKubeObject(copyOf(body));
    return (await applyObject(this.#kernel.needs, call.target, write, { endpoint, applied, force })).served.object;
  }

  async #createBelow(ref: ObjectRef, object: KubeObject, options: WriteOptions): Promise<KubeObject> {
    const call = await this.#begin({ verb: 'create', ref });
    return createBelow(
      this.#kernel.needs,
      { ...call, subresource: ref.subresource ?? '' },
      this.#write(call, options),
      copyOf(object),
    );
  }

  #follow(target: Target, options: WatchOptions): WatchSession {
    const session = new WatchSession(this.#kernel, target, options);
    this.#sessions.add(session);
    session.onDispose(() => this.#sessions.delete(session));
    return session;
  }
}

/** The objects of a list; others work while those of a long one are parsed. */
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

/** A reference to a collection, whatever else it says. */
const collectionOf = ({ group, version, plural, namespace }: ResourceRef): ResourceRef => ({
  group,
  version,
  plural,
  ...(namespace === undefined ? {} : { namespace }),
});

/** The verbs change what they get, and what they answer may share parts with it. */
const copyOf = (value: object): JsonValue => cloneJson(value as unknown as JsonValue);

/** The object to write. What is built in is known by its address; an object of a custom kind must say what it is. */
function bodyOf({ target: { resource } }: Call, object: KubeObject): KubeObject {
  const { crd, kind, version } = resource;
  return asKubeObject(
    copyOf(object),
    crd === undefined ? { apiVersion: version.apiVersion, kind: kind.kind } : undefined,
  );
}

const closed = (): ChandleryError => new ChandleryError('ConnectionFailed', 'the client was closed');
