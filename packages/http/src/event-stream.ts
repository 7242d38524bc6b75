import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyReply } from 'fastify';

export interface EventStreamOptions {
  /** Default 200. */
  readonly status?: number;
  /** Beyond those already set on the reply. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Bytes that may wait for a slow client before it is cut off. Default 4 MiB. */
  readonly maxBufferedBytes?: number;
  /** Called once, whichever side ended the stream. */
  readonly onClose?: (reason: StreamEnd) => void;
}

/** Who ended a stream: we did, the client did, or we cut off a client that did not read. */
export type StreamEnd = 'ended' | 'gone' | 'too-slow';

/** Above this much waiting, `write` asks a producer that can wait to do so. */
const highWaterBytes = 256 * 1024;

/**
 * A long-lived answer made of frames.
 *
 * Frames written in one turn of the event loop leave as one write. Frames are not copied unless joined, so the same
 * buffer may be given to any number of streams, and must not be changed afterwards. A client that does not read is
 * cut off once `maxBufferedBytes` wait for it; a producer of much at once (an initial listing) waits on `drained()`
 * whenever `write` answers false and is never cut.
 */
export class EventStream {
  readonly #response: ServerResponse;
  readonly #schedule: (stream: EventStream) => void;
  readonly #maxBufferedBytes: number;
  readonly #onClose: ((reason: StreamEnd) => void) | undefined;
  #frames: Uint8Array[] = [];
  #frameBytes = 0;
  #state: 'open' | 'ending' | 'closed' = 'open';
  #end: StreamEnd = 'gone';
  readonly #closed = Promise.withResolvers<void>();

  /** Use {@link EventStreams.open}. */
  constructor(reply: FastifyReply, options: EventStreamOptions, schedule: (stream: EventStream) => void) {
    this.#response = reply.raw;
    this.#schedule = schedule;
    this.#maxBufferedBytes = options.maxBufferedBytes ?? 4 * 1024 * 1024;
    this.#onClose = options.onClose;
    const headers = { ...(reply.getHeaders() as OutgoingHttpHeaders), ...options.headers };
    reply.hijack();
    this.#response.on('error', ignoreError);
    this.#response.writeHead(options.status ?? 200, headers);
    this.#response.flushHeaders();
  }

  get isOpen(): boolean {
    return this.#state === 'open';
  }

  /** Resolves when the connection is done with the answer: all of it has left, or the client has. */
  get whenClosed(): Promise<void> {
    return this.#closed.promise;
  }

  /** Bytes that wait for the client. */
  get bufferedBytes(): number {
    return this.#frameBytes + this.#response.writableLength;
  }

  /** Sends a frame. False: much is waiting, pause if you can. Does nothing once the stream has ended. */
  write(frame: Uint8Array): boolean {
    if (this.#state !== 'open') return false;
    if (this.#frames.length === 0) this.#schedule(this);
    this.#frames.push(frame);
    this.#frameBytes += frame.length;
    const waiting = this.bufferedBytes;
    // One frame alone may be of any size; frames that pile up show a slow client.
    if (waiting > this.#maxBufferedBytes && waiting > frame.length) this.cut();
    return waiting <= highWaterBytes;
  }

  /** Resolves when little is waiting any more, or the stream has closed. */
  async drained(): Promise<void> {
    this.flush();
    while (this.#state !== 'closed' && this.#response.writableNeedDrain) await nextOf(this.#response, 'drain', 'close');
  }

  /** Hands everything written so far to the connection. Happens by itself at the end of the turn. */
  flush(): void {
    if (this.#frames.length === 0 || this.#state === 'closed') return;
    const [only, ...others] = this.#frames;
    const bytes = others.length === 0 ? only : Buffer.concat(this.#frames, this.#frameBytes);
    this.#frames = [];
    this.#frameBytes = 0;
    this.#response.write(bytes);
  }

  /** Ends the stream properly after what is waiting, and `lastFrame` if given. May be called twice. */
  end(lastFrame?: Uint8Array): void {
    if (this.#state !== 'open') return;
    if (lastFrame !== undefined) this.#frames.push(lastFrame);
    if (lastFrame !== undefined) this.#frameBytes += lastFrame.length;
    this.flush();
    this.#state = 'ending';
    this.#end = 'ended';
    this.#response.end();
  }

  /** Drops the connection and all that waits for it. */
  cut(): void {
    if (this.#state === 'closed') return;
    if (this.#state === 'open') this.#end = 'too-slow';
    this.#state = 'ending';
    this.#frames = [];
    this.#frameBytes = 0;
    this.#response.destroy();
  }

  /** Called by {@link EventStreams} when the connection is done with the answer. Returns who ended the stream. */
  closed(): StreamEnd {
    this.#state = 'closed';
    this.#frames = [];
    this.#onClose?.(this.#end);
    this.#closed.resolve();
    return this.#end;
  }
}

/** The open streams of a host: flushed together, ended together when the host drains. */
export class EventStreams {
  readonly #open = new Set<EventStream>();
  readonly #onEnd: (end: StreamEnd) => void;
  #dirty: EventStream[] = [];

  /** `onEnd` is called once for each stream. */
  constructor(onEnd: (end: StreamEnd) => void = () => undefined) {
    this.#onEnd = onEnd;
  }

  get size(): number {
    return this.#open.size;
  }

  /** Takes over the reply and sends its headers at once. */
  open(reply: FastifyReply, options: EventStreamOptions = {}): EventStream {
    const stream = new EventStream(reply, options, this.#schedule);
    this.#open.add(stream);
    // The response's close event: the request's own fires as soon as its body is consumed.
    reply.raw.once('close', () => {
      this.#open.delete(stream);
      this.#onEnd(stream.closed());
    });
    return stream;
  }

  /** Ends all streams, and waits until their last bytes have left, but not longer than `graceMs`. */
  async endAll(graceMs: number): Promise<void> {
    const streams = [...this.#open];
    for (const stream of streams) stream.end();
    const limit = new AbortController();
    const all = Promise.all(streams.map(({ whenClosed }) => whenClosed));
    await Promise.race([all, sleep(graceMs, undefined, { signal: limit.signal }).catch(() => undefined)]);
    limit.abort();
  }

  /** One timer for all streams: an event goes to thousands of them in the same turn. */
  readonly #schedule = (stream: EventStream): void => {
    if (this.#dirty.length === 0) setImmediate(this.#flushDirty);
    this.#dirty.push(stream);
  };

  readonly #flushDirty = (): void => {
    const dirty = this.#dirty;
    this.#dirty = [];
    for (const stream of dirty) stream.flush();
  };
}

// A connection that breaks during a write is handled by `close`; the error itself adds nothing.
const ignoreError = (): void => {};

function nextOf(response: ServerResponse, ...events: readonly string[]): Promise<void> {
  return new Promise(resolve => {
    const settle = () => {
      for (const event of events) response.off(event, settle);
      resolve();
    };
    for (const event of events) response.on(event, settle);
  });
}
