import { ChandleryError, isError, type JsonObject, type KubeObject } from '@chandlery/api';
import type {
  Client,
  DeleteOptions,
  ObjectRef,
  PatchBody,
  RequestOptions,
  ResourceRef,
  WriteOptions,
} from '@chandlery/client';
import { retryOnConflict } from '../helpers/retry-on-conflict.ts';
import type { FencingToken } from './fencing-token.ts';

/** Who wrote an object last: the lease and the value of the holder's token. */
export const fenceAnnotation = 'chandlery.io/fence';

/** The writes that a fence can stand before. */
export type FencedClient = Pick<
  Client,
  'get' | 'list' | 'listAll' | 'watch' | 'create' | 'update' | 'patch' | 'delete'
>;

/**
 * A client whose writes fail with `Fenced` once a later holder of the same lease has written the object.
 *
 * Each write leaves the token in an annotation, and is bound to the version of the object that was looked at, so a
 * holder that was suspended in between cannot overwrite its successor's work, however late its request arrives. Writes
 * of a sub-resource are checked but leave no token. Not guarded are objects that the successor has not written yet, an
 * apply that found no object, and whatever happens outside this API: hand `token.value` to systems that can compare it.
 */
export function withFence(client: FencedClient, token: FencingToken): FencedClient {
  const fence = new Fence(client, token);
  return {
    get: (ref, options) => client.get(ref, options),
    list: (ref, options) => client.list(ref, options),
    listAll: (ref, options) => client.listAll(ref, options),
    watch: (ref, options) => client.watch(ref, options),
    create: (ref, object, options) => fence.create(ref, object, options),
    update: (ref, object, options) => fence.update(ref, object, options),
    patch: (ref, patch, options) => fence.patch(ref, patch, options),
    delete: (ref, options) => fence.delete(ref, options),
  };
}

class Fence {
  readonly #client: FencedClient;
  readonly #token: FencingToken;

  constructor(client: FencedClient, token: FencingToken) {
    this.#client = client;
    this.#token = token;
  }

  create<T extends KubeObject>(ref: ResourceRef | ObjectRef, object: T, options?: WriteOptions): Promise<T> {
    return this.#client.create(ref, 'subresource' in ref ? object : this.#marked(object), options);
  }

  async update<T extends KubeObject>(ref: ObjectRef, object: T, options: WriteOptions = {}): Promise<T> {
    const live = await this.#checked(ref, options);
    const { resourceVersion = live?.metadata.resourceVersion } = object.metadata;
    const bound = { ...object, metadata: { ...object.metadata, ...(resourceVersion && { resourceVersion }) } };
    return this.#client.update(ref, ref.subresource === undefined ? this.#marked(bound) : bound, options);
  }

  /** Patches name no version as a rule, so a lost race is tried again. */
  patch<T extends KubeObject>(ref: ObjectRef, patch: PatchBody, options: WriteOptions = {}): Promise<T> {
    return retryOnConflict(async () => {
      const live = await this.#checked(ref, options);
      return this.#client.patch<T>(ref, this.#boundPatch(patch, live, ref.subresource === undefined), options);
    });
  }

  delete(ref: ObjectRef, options: DeleteOptions = {}): Promise<KubeObject> {
    return retryOnConflict(async () => {
      const { resourceVersion, uid } = (await this.#checked(ref, options))?.metadata ?? {};
      const seen = { ...(resourceVersion && { resourceVersion }), ...(uid && { uid }) };
      return this.#client.delete(ref, { ...options, preconditions: { ...seen, ...options.preconditions } });
    });
  }

  /** The object as it is, if there is one and no later holder wrote it. */
  async #checked({ subresource: _, ...ref }: ObjectRef, { signal }: RequestOptions): Promise<KubeObject | undefined> {
    const live = await this.#find(ref, signal);
    const written = live?.metadata.annotations?.[fenceAnnotation];
    if (written !== undefined && isLater(written, this.#token)) throw fenced(ref, this.#token);
    return live;
  }

  async #find(ref: ObjectRef, signal: AbortSignal | undefined): Promise<KubeObject | undefined> {
    try {
      return await this.#client.get(ref, signal && { signal });
    } catch (error) {
      if (isError(error, 'NotFound')) return undefined;
      throw error;
    }
  }

  #boundPatch(patch: PatchBody, live: KubeObject | undefined, hasMark: boolean): PatchBody {
    const resourceVersion = live?.metadata.resourceVersion;
    const mark = hasMark ? { [fenceAnnotation]: this.#mark } : {};
    if (patch.type === 'json') return { ...patch, body: [...this.#jsonOperations(live, hasMark), ...patch.body] };
    const metadata = (patch.body['metadata'] ?? {}) as JsonObject;
    const annotations = { ...(metadata['annotations'] as JsonObject | undefined), ...mark };
    const bound = { resourceVersion, ...metadata, ...(hasMark ? { annotations } : {}) };
    if (resourceVersion === undefined) delete bound.resourceVersion;
    return { ...patch, body: { ...patch.body, metadata: bound } } as PatchBody;
  }

  #jsonOperations(live: KubeObject | undefined, hasMark: boolean): JsonObject[] {
    if (live === undefined) return [];
    const { resourceVersion = '', annotations } = live.metadata;
    // Not `test`: the server compares the version it is left with, and says Conflict when it is another one.
    const operations: JsonObject[] = [{ op: 'add', path: '/metadata/resourceVersion', value: resourceVersion }];
    if (!hasMark) return operations;
    if (annotations === undefined) operations.push({ op: 'add', path: '/metadata/annotations', value: {} });
    const path = `/metadata/annotations/${fenceAnnotation.replaceAll('/', '~1')}`;
    return [...operations, { op: 'add', path, value: this.#mark }];
  }

  #marked<T extends KubeObject>(object: T): T {
    const annotations = { ...object.metadata.annotations, [fenceAnnotation]: this.#mark };
    return { ...object, metadata: { ...object.metadata, annotations } };
  }

  get #mark(): string {
    return `${this.#token.lease}=${this.#token.value}`;
  }
}

/** Tokens of another lease say nothing. */
function isLater(written: string, { lease, value }: FencingToken): boolean {
  const [by, number] = written.split('=');
  return by === lease && Number(number) > value;
}

const fenced = ({ plural, name }: ObjectRef, { lease }: FencingToken): ChandleryError =>
  new ChandleryError(
    'Fenced',
    `cannot write ${plural} "${name}": a later holder of the lease ${lease} has written it`,
    {
      hint: 'This process has lost the lease; it must stop what it is doing.',
    },
  );
