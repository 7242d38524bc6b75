import { type IncomingMessage, ServerResponse } from 'node:http';
import { hasBody } from './bodies/read-body.ts';

/**
 * The most that is handed to a connection at once. It stays below the high-water mark of sockets (64 KiB), headers
 * included: see {@link PacedResponse}.
 */
const sliceBytes = 48 * 1024;

/** A request body of up to this size is left to Node: it discards an unread body and keeps the connection. */
const maxIgnoredBytes = 64 * 1024;
/** For how long the rest of a request is thrown away after it was responded to. */
const lingerMs = 30_000;
const ends = ['end', 'close', 'error'] as const;

/** Notified when the number of bytes changes that wait in a response for its client to read. */
export interface ResponseMeter {
  waiting(response: PacedResponse, bytes: number): void;
}

interface QueuedChunk {
  readonly bytes: Uint8Array;
  readonly whenSent: (() => void) | undefined;
}

type Callback = (error?: Error | null) => void;

/** What is overridden here. The types of Node say that its accessors are fields, which could not be. */
interface Overridden {
  readonly writableLength: number;
  readonly writableNeedDrain: boolean;
  readonly writableEnded: boolean;
  write(chunk: unknown, encoding?: unknown, callback?: unknown): boolean;
  end(chunk?: unknown, encoding?: unknown, callback?: unknown): this;
  writeHead(...args: unknown[]): this;
}

const NodeResponse = ServerResponse as unknown as new (
  request: IncomingMessage,
) => Omit<ServerResponse, keyof Overridden> & Overridden;

/**
 * A response that gives its connection no more than the connection takes: what is larger than a slice waits here, not
 * in the socket, and leaves slice by slice as the client reads. A response of up to one slice is one write, as always.
 *
 * A socket of ours never has a full buffer, and that is not only about memory. Node pauses the HTTP parser of a connection
 * when a request arrives while the response before it has not left completely. On TLS, data that was decrypted together
 * with that request still reaches the paused parser, which rejects it (`HPE_PAUSED`): a valid request whose body comes
 * in a second TLS record would get a 400.
 */
export class PacedResponse extends NodeResponse {
  /** The identity whose budgets the response counts against. Undefined: the anonymous one. */
  identity: string | undefined;
  /** Notified about waiting bytes. Default: no notifications. */
  meter: ResponseMeter | undefined;
  #queue: QueuedChunk[] = [];
  /** How much of the first chunk has been sent. */
  #offset = 0;
  #queuedBytes = 0;
  #isWriting = false;
  #isDrainWanted = false;
  #isEnding = false;
  #whenEnded: Callback | undefined;
  #isListening = false;

  override get writableLength(): number {
    return super.writableLength + this.#queuedBytes;
  }

  override get writableNeedDrain(): boolean {
    // What Node notes itself is no use: it judges by our length, and waits for a drain of the socket, which never fills.
    return this.#isDrainWanted && !this.destroyed;
  }

  override get writableEnded(): boolean {
    return this.#isEnding || super.writableEnded;
  }

  override write(chunk: unknown, encoding?: unknown, callback?: unknown): boolean {
    const [text, whenSent] = typeof encoding === 'function' ? [undefined, encoding] : [encoding, callback];
    if (this.#isEnding) return false;
    if (this.#fits(lengthOf(chunk, text))) return super.write(chunk, text, whenSent);
    this.#enqueue({ bytes: bytesOf(chunk, text), whenSent: whenSent as (() => void) | undefined });
    this.#isDrainWanted = this.#queuedBytes > 0;
    return !this.#isDrainWanted;
  }

  override writeHead(...args: unknown[]): this {
    if (this.#isUnderBody()) this.setHeader('connection', 'close');
    return super.writeHead(...args);
  }

  override end(chunk?: unknown, encoding?: unknown, callback?: unknown): this {
    const [last, text, whenEnded] = endArguments(chunk, encoding, callback);
    if (this.#isEnding) return this;
    if (this.#isUnderBody() && this.#fits(lengthOf(last, text))) return this.#linger(bytesOf(last, text), whenEnded);
    if (this.#fits(lengthOf(last, text))) return super.end(last, text, whenEnded);
    const bytes = bytesOf(last, text);
    if (this.#queue.length === 0) this.#announceLength(bytes.length);
    this.#isEnding = true;
    this.#whenEnded = whenEnded;
    this.#enqueue({ bytes, whenSent: undefined });
    return this;
  }

  /** Whether the response comes before the request is complete, and what is missing is more than one can wait for. */
  #isUnderBody(): boolean {
    if (this.req.complete || !hasBody(this.req)) return false;
    const { 'content-length': length, 'transfer-encoding': encoding } = this.req.headers;
    return encoding !== undefined || Number(length) > maxIgnoredBytes;
  }

  /**
   * Sends the whole response, and ends it when the rest of the request has been received and thrown away, or after a
   * while: if the connection were closed at once, the kernel would reset it under the unread rest, and the client
   * could not read the response.
   */
  #linger(bytes: Uint8Array, whenEnded: Callback | undefined): this {
    this.#announceLength(bytes.length);
    this.#isEnding = true;
    if (bytes.length > 0) super.write(bytes);
    else this.flushHeaders();
    const finish = (): void => {
      clearTimeout(timer);
      for (const event of ends) this.req.off(event, finish);
      super.end(whenEnded);
    };
    const timer = setTimeout(finish, lingerMs);
    for (const event of ends) this.req.once(event, finish);
    this.req.resume();
    return this;
  }

  #fits(length: number): boolean {
    return this.#queue.length === 0 && super.writableLength + length <= sliceBytes;
  }

  /** As Node does for a response that consists of one chunk. */
  #announceLength(length: number): void {
    if (this.headersSent || this.hasHeader('content-length') || this.hasHeader('transfer-encoding')) return;
    this.setHeader('content-length', length);
  }

  #enqueue(chunk: QueuedChunk): void {
    if (this.req.socket.destroyed) return;
    this.#queue.push(chunk);
    this.#queuedBytes += chunk.bytes.length;
    if (!this.#isListening) {
      this.#isListening = true;
      this.req.socket.once('close', this.#drop);
    }
    this.#pump();
    this.meter?.waiting(this, this.#queuedBytes);
  }

  readonly #pump = (): void => {
    if (this.#isWriting || this.#queue.length === 0) return;
    // The response to an earlier request of the connection is still under way.
    if (this.socket === null) return void this.once('socket', this.#pump);
    const { bytes, callbacks } = this.#nextSlice();
    const isLast = this.#queue.length === 0;
    if (isLast && this.#isEnding) {
      for (const callback of callbacks) this.once('finish', callback);
      super.end(bytes, this.#whenEnded);
      this.#settle();
      return;
    }
    this.#isWriting = true;
    super.write(bytes, (error?: Error | null) => {
      this.#isWriting = false;
      if (error || this.req.socket.destroyed) return this.#drop();
      for (const callback of callbacks) callback();
      this.meter?.waiting(this, this.#queuedBytes);
      if (this.#queue.length > 0) this.#pump();
      else this.#settle();
    });
  };

  /** Takes the next slice off the queue. Small chunks are joined. */
  #nextSlice(): { readonly bytes: Uint8Array; readonly callbacks: readonly (() => void)[] } {
    const parts: Uint8Array[] = [];
    const callbacks: (() => void)[] = [];
    let room = sliceBytes;
    for (let [first] = this.#queue; first !== undefined && room > 0; [first] = this.#queue) {
      const part = first.bytes.subarray(this.#offset, this.#offset + room);
      parts.push(part);
      room -= part.length;
      this.#offset += part.length;
      if (this.#offset < first.bytes.length) break;
      this.#queue.shift();
      this.#offset = 0;
      if (first.whenSent !== undefined) callbacks.push(first.whenSent);
    }
    const [only = nothing, ...others] = parts;
    const bytes = others.length === 0 ? only : Buffer.concat(parts);
    this.#queuedBytes -= bytes.length;
    return { bytes, callbacks };
  }

  #settle(): void {
    this.meter?.waiting(this, 0);
    if (this.#isListening) this.req.socket.off('close', this.#drop);
    this.#isListening = false;
    if (!this.#isDrainWanted) return;
    this.#isDrainWanted = false;
    this.emit('drain');
  }

  /** The connection is closed: the remaining bytes will never be sent. */
  readonly #drop = (): void => {
    this.#queue = [];
    this.#queuedBytes = 0;
    this.#isDrainWanted = false;
    this.meter?.waiting(this, 0);
  };
}

const nothing = Buffer.alloc(0);

/** What is neither text nor bytes has no length, and is left to Node to judge. */
function lengthOf(chunk: unknown, encoding: unknown): number {
  if (typeof chunk === 'string') return Buffer.byteLength(chunk, encoding as BufferEncoding | undefined);
  return chunk instanceof Uint8Array ? chunk.length : 0;
}

function bytesOf(chunk: unknown, encoding: unknown): Uint8Array {
  if (typeof chunk === 'string') return Buffer.from(chunk, encoding as BufferEncoding | undefined);
  return chunk instanceof Uint8Array ? chunk : nothing;
}

type EndArguments = readonly [chunk: unknown, encoding: unknown, whenEnded: Callback | undefined];

/** `end` may be called with a callback in any place. */
function endArguments(chunk: unknown, encoding: unknown, callback: unknown): EndArguments {
  if (typeof chunk === 'function') return [undefined, undefined, chunk as Callback];
  if (typeof encoding === 'function') return [chunk, undefined, encoding as Callback];
  return [chunk, encoding, callback as Callback | undefined];
}
