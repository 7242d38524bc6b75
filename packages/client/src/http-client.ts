import { type KubeObject, listPages, parseJson } from '@chandlery/api';
import type {
  DeleteOptions,
  HttpClient,
  KubeList,
  ListOptions,
  ObjectRef,
  PatchBody,
  RawOptions,
  RawResponse,
  RequestOptions,
  ResourceRef,
  WatchEvent,
  WatchOptions,
  WriteOptions,
} from './client.ts';
import { unexpectedResponse, watchStalled } from './client-errors.ts';
import type { ConnectionOptions } from './connection.ts';
import { assertWebAddress, HttpTransport, type TransportRequest, type TransportResponse } from './http-transport.ts';
import { IdleLimit } from './idle-limit.ts';
import { assertHasManager, patchContentTypes } from './patch-types.ts';
import { type Query, resourcePath } from './resource-path.ts';
import { watchEvents } from './watch-stream.ts';

/** Creates a client. Sends nothing yet; the caller disposes of it, which also ends its watches. */
export function createClient(connection: ConnectionOptions): HttpClient {
  assertWebAddress(connection.server);
  return new ClientOverHttp(new HttpTransport(connection), connection.fieldManager);
}

class ClientOverHttp implements HttpClient {
  readonly #transport: HttpTransport;
  /** The field manager of calls that name none. */
  readonly #fieldManager: string | undefined;

  constructor(transport: HttpTransport, fieldManager: string | undefined) {
    this.#transport = transport;
    this.#fieldManager = fieldManager;
  }

  get<T extends KubeObject>(ref: ObjectRef, options: RequestOptions = {}): Promise<T> {
    return this.#call({ path: resourcePath(ref), ...limitsOf(options) });
  }

  list<T extends KubeObject>(ref: ResourceRef, options: ListOptions = {}): Promise<KubeList<T>> {
    const { signal, timeoutMs, ...query } = options;
    return this.#call({ path: resourcePath(ref), query, ...limitsOf({ signal, timeoutMs }) });
  }

  listAll<T extends KubeObject>(ref: ResourceRef, options: ListOptions = {}): AsyncGenerator<T> {
    return listPages(page => this.list<T>(ref, page), options);
  }

  create<T extends KubeObject>(ref: ResourceRef | ObjectRef, object: T, options: WriteOptions = {}): Promise<T> {
    const { name: _, ...collection } = ref as ObjectRef;
    // Only sub-resources (eviction, token) are created below a name.
    const place = 'subresource' in ref ? ref : collection;
    return this.#write('POST', { path: resourcePath(place), body: object, options });
  }

  update<T extends KubeObject>(ref: ObjectRef, object: T, options: WriteOptions = {}): Promise<T> {
    return this.#write('PUT', { path: resourcePath(ref), body: object, options });
  }

  async patch<T extends KubeObject>(ref: ObjectRef, patch: PatchBody, options: WriteOptions = {}): Promise<T> {
    assertHasManager(patch, options.fieldManager ?? this.#fieldManager);
    const query = patch.type === 'apply' && patch.force === true ? { force: true } : {};
    const contentType = patchContentTypes[patch.type];
    return this.#write('PATCH', { path: resourcePath(ref), body: patch.body, options, query, contentType });
  }

  delete(ref: ObjectRef, options: DeleteOptions = {}): Promise<KubeObject> {
    const { signal, timeoutMs, isDryRun, ...rest } = options;
    // Kubernetes reads the options of a deletion from the body alone; the query is for who logs requests.
    const dryRun = isDryRun === true ? { dryRun: ['All'] } : {};
    const body = { apiVersion: 'v1', kind: 'DeleteOptions', ...rest, ...dryRun };
    const path = resourcePath(ref);
    return this.#write('DELETE', {
      path,
      body,
      options: { ...limitsOf({ signal, timeoutMs }), ...(isDryRun ? { isDryRun } : {}) },
    });
  }

  async *watch<T extends KubeObject>(ref: ResourceRef, options: WatchOptions = {}): AsyncGenerator<WatchEvent<T>> {
    const { signal, hasBookmarks = true, hasInitialEvents, idleTimeoutMs, isKnown: _, ...selection } = options;
    if (signal?.aborted) return;
    using limit = new IdleLimit(idleTimeoutMs, signal);
    const query = {
      ...selection,
      watch: true,
      allowWatchBookmarks: hasBookmarks,
      ...(hasInitialEvents === undefined ? {} : initialEvents(hasInitialEvents)),
    };
    try {
      const limits = limitsOf({ signal: limit.signal });
      const response = await this.#transport.send({ path: resourcePath(ref), query, isEndless: true, ...limits });
      for await (const event of watchEvents<T>(response.body as AsyncIterable<Uint8Array>)) {
        limit.pause();
        yield event;
        limit.listen();
      }
    } catch (thrown) {
      if (signal?.aborted) return;
      if (limit.isOver) throw watchStalled(this.#transport.server, idleTimeoutMs ?? 0);
      throw this.#transport.failureOf(thrown);
    }
  }

  async raw(path: string, options: RawOptions = {}): Promise<RawResponse> {
    const response = await this.#transport.send({ ...options, path });
    return this.#rawResponse(response, options.signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#transport[Symbol.asyncDispose]();
  }

  #write<T>(
    method: 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    request: { path: string; body: unknown; options: WriteOptions; query?: Query; contentType?: string },
  ): Promise<T> {
    const { path, body, options, query = {}, contentType = 'application/json' } = request;
    const { fieldManager = this.#fieldManager, isDryRun, fieldValidation, ...limits } = options;
    return this.#call({
      method,
      path,
      query: { ...query, fieldManager, fieldValidation, ...(isDryRun === true ? { dryRun: 'All' } : {}) },
      headers: { 'content-type': contentType },
      body: JSON.stringify(body),
      ...limitsOf(limits),
    });
  }

  async #call<T>(request: TransportRequest): Promise<T> {
    const response = await this.#transport.send(request);
    return (await this.#rawResponse(response, request.signal).json()) as T;
  }

  #rawResponse(response: TransportResponse, signal: AbortSignal | undefined): RawResponse {
    const { statusCode: status, headers, body } = response;
    const text = (): Promise<string> => this.#transport.guard(() => body.text(), signal);
    return {
      status,
      headers: flatHeaders(headers),
      body: this.#pieces(body, signal),
      text,
      json: async () => parseAnswer(await text()),
    };
  }

  async *#pieces(body: AsyncIterable<unknown>, signal: AbortSignal | undefined): AsyncGenerator<Uint8Array> {
    try {
      yield* body as AsyncIterable<Uint8Array>;
    } catch (thrown) {
      throw this.#transport.failureOf(thrown, signal);
    }
  }
}

/** Leaves out fields that are not given: an explicit undefined means something to some callees. */
const limitsOf = (options: { signal?: AbortSignal | undefined; timeoutMs?: number | undefined }): RequestOptions => ({
  ...(options.signal === undefined ? {} : { signal: options.signal }),
  ...(options.timeoutMs === undefined ? {} : { timeoutMs: options.timeoutMs }),
});

const initialEvents = (sendInitialEvents: boolean): Query => ({
  sendInitialEvents,
  resourceVersionMatch: 'NotOlderThan',
});

const flatHeaders = (headers: TransportResponse['headers']): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : (value ?? '')]),
  );

function parseAnswer(text: string): unknown {
  try {
    return parseJson(text);
  } catch (cause) {
    throw unexpectedResponse(`the server's answer is not JSON: ${text.trim().slice(0, 80)}`, cause);
  }
}
