import { type ResourceType, typeUrls } from '../model/resource.ts';
import type { Proxy } from '../ports.ts';
import { createDiscoveryStreams, type DiscoveryStreams, type OpenStream } from './discovery-streams.ts';
import { frameHeadBytes } from './frame-message.ts';
import type { StreamError, StreamMode, StreamPort } from './messages.ts';
import type { DiscoveryStreamsOptions } from './stream-settings.ts';
import { decodeResponse, type TestResponse } from './test-decode.ts';
import { TestTime } from './test-time.ts';
import { TestView } from './test-view.ts';

/** A proxy for tests. */
export const testProxy = (dialect: Proxy['dialect'] = 'envoy'): Proxy => ({
  nodeId: 'proxy-1',
  identity: { trustDomain: 'mesh', tenant: 't', cluster: 'c', namespace: 'ns', serviceAccount: 'sa' },
  dialect,
  peer: '127.0.0.1:1',
});

/** A transport that records frames, with a settable buffer limit. */
export class TestPort implements StreamPort {
  readonly frames: Uint8Array[] = [];
  error: StreamError | undefined;
  isFull = false;
  #onDrain: (() => void) | undefined;

  send(frame: Uint8Array): boolean {
    this.frames.push(frame);
    return !this.isFull;
  }

  onDrain(callback: () => void): void {
    this.#onDrain = callback;
  }

  end(error: StreamError): void {
    this.error = error;
  }

  drain(): void {
    this.isFull = false;
    this.#onDrain?.();
    this.#onDrain = undefined;
  }
}

interface ClientOptions {
  readonly view: TestView;
  readonly mode: StreamMode;
  readonly dialect?: Proxy['dialect'];
  readonly only?: ResourceType;
}

/** The fields of a request besides its type. Missing fields are empty. */
interface TestAsk {
  readonly names?: readonly string[];
  readonly subscribe?: readonly string[];
  readonly unsubscribe?: readonly string[];
  readonly initial?: Readonly<Record<string, string>>;
  readonly version?: string;
  readonly nonce?: string;
  readonly error?: string;
}

/** One stream from the view of its client: sends requests and reads responses. */
export class TestClient {
  readonly port = new TestPort();
  readonly mode: StreamMode;
  readonly #stream: OpenStream;
  readonly #lists = new Map<string, readonly string[]>();
  #read = 0;

  constructor(streams: DiscoveryStreams, { view, mode, dialect, only }: ClientOptions) {
    this.mode = mode;
    const proxy = testProxy(dialect);
    this.#stream = streams.open({ port: this.port, view, proxy, mode, ...(only && { only }) });
  }

  /** A request with any type URL. */
  askUrl(typeUrl: string, ask: TestAsk = {}): void {
    const { names = [], subscribe = [], unsubscribe = [], initial = {}, version = '', nonce = '', error } = ask;
    const errorDetail = error === undefined ? {} : { errorDetail: { code: 3, message: error } };
    const common = { typeUrl, responseNonce: nonce, ...errorDetail };
    if (this.mode === 'sotw')
      this.#stream.onRequest({ ...common, versionInfo: version, resourceNames: this.#sameList(names) });
    else
      this.#stream.onRequest({
        ...common,
        resourceNamesSubscribe: subscribe,
        resourceNamesUnsubscribe: unsubscribe,
        initialResourceVersions: new Map(Object.entries(initial)),
      });
  }

  /** Equal names are the same list, as from the transport. */
  #sameList(names: readonly string[]): readonly string[] {
    const key = names.join('\n');
    const list = this.#lists.get(key) ?? names;
    this.#lists.set(key, list);
    return list;
  }

  ask(type: ResourceType, ask: TestAsk = {}): void {
    this.askUrl(typeUrls[type], ask);
  }

  /** The responses since the last call. */
  received(): TestResponse[] {
    const frames = this.port.frames.slice(this.#read);
    this.#read = this.port.frames.length;
    return frames.map(frame => decodeResponse(frame.subarray(frameHeadBytes), this.mode));
  }

  /** The only response since the last call. */
  one(): TestResponse {
    const [response, ...more] = this.received();
    if (response === undefined || more.length > 0)
      throw new Error(`expected one response, got ${response ? more.length + 1 : 0}`);
    return response;
  }

  /** Sends a request and returns the only response. */
  get(type: ResourceType, ask: TestAsk = {}): TestResponse {
    this.ask(type, ask);
    return this.one();
  }

  /**
   * Acknowledges a response; with names it also sends the subscription, as the state-of-the-world protocol requires.
   */
  ack(response: TestResponse, names: readonly string[] = []): void {
    this.ask(response.type, { names, version: response.version, nonce: response.nonce });
  }

  nack(response: TestResponse, names: readonly string[] = [], error = 'no'): void {
    this.ask(response.type, { names, nonce: response.nonce, error });
  }

  /** Sends a request and acknowledges the response. */
  sync(type: ResourceType, ask: TestAsk = {}): TestResponse {
    const response = this.get(type, ask);
    this.ack(response, ask.names);
    return response;
  }

  close(): void {
    this.#stream.close();
  }
}

/** Discovery streams on one view, with simulated time. */
export class TestHarness implements Disposable {
  readonly time = new TestTime();
  readonly view = new TestView({ nowMs: this.time.nowMs });
  readonly streams: DiscoveryStreams;

  constructor(options: DiscoveryStreamsOptions = {}) {
    const { clock, nowMs } = this.time;
    this.streams = createDiscoveryStreams({ clock, timers: this.time, nowMs, ...options });
  }

  connect(options: Partial<ClientOptions> = {}): TestClient {
    return new TestClient(this.streams, { view: this.view, mode: 'sotw', ...options });
  }

  /** Advances time until all debounced changes are pushed. */
  flushChanges(): void {
    this.time.advance(1_000);
  }

  [Symbol.dispose](): void {
    this.streams[Symbol.dispose]();
  }
}
