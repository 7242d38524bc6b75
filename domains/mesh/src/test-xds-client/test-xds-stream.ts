import type { ClientHttp2Session } from 'node:http2';
import { type CallEnd, TestByteCall } from './test-byte-call.ts';
import {
  decodeDeltaResponse,
  decodeResponse,
  encodeDeltaRequest,
  encodeRequest,
  type ReceivedResponse,
  type TestDeltaRequest,
  type TestNode,
  type TestRequest,
} from './test-messages.ts';

export interface TestStreamOptions {
  /** Full method, `/package.Service/Method`. */
  readonly method: string;
  readonly mode: 'sotw' | 'delta';
  /** Sent with the first request. Default: none is sent. */
  readonly node?: TestNode;
  /** Acknowledges each response at once. Default false. */
  readonly autoAck?: boolean;
  /** Reads nothing from the connection, as a stalled proxy. Default false. */
  readonly neverReads?: boolean;
  /** Called with each response; responses are then not kept. */
  readonly onResponse?: (response: ReceivedResponse) => void;
}

/** A discovery stream of a raw client. Responses are kept in order until they are taken. */
export class TestXdsStream {
  readonly responses: ReceivedResponse[] = [];
  readonly #call: TestByteCall;
  readonly #options: TestStreamOptions;
  readonly #names = new Map<string, readonly string[]>();
  #isFirst = true;
  #taken = 0;

  constructor(session: ClientHttp2Session, options: TestStreamOptions) {
    this.#options = options;
    const { method, neverReads = false } = options;
    this.#call = new TestByteCall(session, method, { neverReads, onMessage: message => this.#onMessage(message) });
  }

  /** How the call ended; undefined while it is open. */
  get end(): CallEnd | undefined {
    return this.#call.end;
  }

  send(request: TestRequest): void {
    if (request.names) this.#names.set(request.typeUrl ?? '', request.names);
    this.#call.send(encodeRequest({ ...this.#introduction(), ...request }));
  }

  sendDelta(request: TestDeltaRequest): void {
    this.#call.send(encodeDeltaRequest({ ...this.#introduction(), ...request }));
  }

  /** Sends an arbitrary message. */
  sendBytes(message: Uint8Array): void {
    this.#call.send(message);
  }

  /** Sends bytes without framing. */
  sendRaw(bytes: Uint8Array): void {
    this.#call.sendRaw(bytes);
  }

  /** Acknowledges a response. State of the world: with the last subscribed names by default. */
  ack(response: ReceivedResponse, names: readonly string[] = this.#namesOf(response)): void {
    const { typeUrl, nonce, version } = response;
    if (this.#options.mode === 'delta') this.sendDelta({ typeUrl, nonce });
    else this.send({ typeUrl, nonce, version, names });
  }

  /** Rejects a response; `version` is the applied one. */
  nack(response: ReceivedResponse, message: string, version = ''): void {
    const { typeUrl, nonce } = response;
    const error = { code: 3, message };
    if (this.#options.mode === 'delta') this.sendDelta({ typeUrl, nonce, error });
    else this.send({ typeUrl, nonce, version, error, names: this.#namesOf(response) });
  }

  /** The next response that was not taken yet. Rejects when the call ends without one. */
  next(): Promise<ReceivedResponse> {
    return this.waitFor(responses => {
      const response = responses[this.#taken];
      if (response) this.#taken += 1;
      return response;
    });
  }

  /** Waits until the predicate returns a value, calling it after each response. Rejects when the call ends first. */
  waitFor<T>(predicate: (responses: readonly ReceivedResponse[]) => T | undefined, timeoutMs?: number): Promise<T> {
    return this.#call.waitFor(() => predicate(this.responses), timeoutMs);
  }

  /** Waits until the call has ended. */
  ended(timeoutMs?: number): Promise<CallEnd> {
    return this.#call.ended(timeoutMs);
  }

  /** Half-closes the call. */
  finish(): void {
    this.#call.finish();
  }

  close(): void {
    this.#call.close();
  }

  /** A stream of one type may omit the type URL. */
  #namesOf({ typeUrl }: ReceivedResponse): readonly string[] {
    return this.#names.get(typeUrl) ?? this.#names.get('') ?? [];
  }

  #introduction(): { node?: TestNode } {
    if (!this.#isFirst || !this.#options.node) return {};
    this.#isFirst = false;
    return { node: this.#options.node };
  }

  #onMessage(message: Buffer): void {
    const response = this.#options.mode === 'delta' ? decodeDeltaResponse(message) : decodeResponse(message);
    if (this.#options.onResponse) this.#options.onResponse(response);
    else this.responses.push(response);
    if (this.#options.autoAck) this.ack(response);
  }
}
