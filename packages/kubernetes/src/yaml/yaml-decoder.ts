import { Worker } from 'node:worker_threads';
import { apiError, ChandleryError, type JsonValue, parseJson, parsingJson } from '@chandlery/api';
import { scanJson } from '@chandlery/kernel';
import { Pace, type Steps, threadEnvironment } from '@chandlery/platform';
import { FairQueue } from './fair-queue.ts';
import { yamlToJson } from './yaml-to-json.ts';
import type { YamlResponse } from './yaml-worker.ts';

/** Longer texts are converted by a thread of their own: this one takes a few milliseconds here. */
const maxInlineLength = 8 * 1024;

/** Each waits with up to 3 MB. */
const queueLimits = { maxWaiting: 64, maxWaitingOfOne: 8 };

/** The most expensive text within the limits takes about a second on a busy machine. */
const defaultTimeoutMs = 15_000;

/** A thread that is idle for so long ends; its memory is returned. */
const idleMs = 60_000;

interface Task {
  readonly text: string;
  readonly resolve: (json: Buffer) => void;
  readonly reject: (error: Error) => void;
}

export interface YamlDecoderOptions {
  /** How long one text may take. Default 15 s. */
  readonly timeoutMs?: number;
  /** The thread's program. Default: the one beside this file. */
  readonly worker?: URL;
}

/** Reads YAML into JSON values: short texts at once, long ones in a thread beside the one that serves all requests. */
export class YamlDecoder {
  readonly #timeoutMs: number;
  readonly #program: URL;
  readonly #queue = new FairQueue<Task>(queueLimits);
  #worker: Worker | undefined;
  #current: Task | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor({ timeoutMs = defaultTimeoutMs, worker }: YamlDecoderOptions = {}) {
    this.#timeoutMs = timeoutMs;
    this.#program = worker ?? new URL('./yaml-worker.ts', import.meta.url);
  }

  /**
   * The value of a text. Throws `BadRequest` for text that is no YAML or says what JSON cannot, `TooManyRequests` when
   * others of this sender, or of all, wait already.
   */
  async decode(text: string, sender: string): Promise<JsonValue> {
    if (text.length <= maxInlineLength) return parseInline(yamlToJson(text));
    const json = await this.#convert(text, sender);
    return await new Pace().run(parse(json));
  }

  #convert(text: string, sender: string): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      if (!this.#queue.add(sender, { text, resolve, reject })) throw busy();
      this.#next();
    });
  }

  /** Gives the thread the next text, when it has none. */
  #next(): void {
    if (this.#current !== undefined) return;
    this.#current = this.#queue.take();
    clearTimeout(this.#timer);
    if (this.#current === undefined) return this.#rest();
    this.#worker ??= this.#start();
    // It keeps the process alive only while a caller waits for it.
    this.#worker.ref();
    this.#timer = setTimeout(() => this.#fail(tooSlow()), this.#timeoutMs);
    this.#worker.postMessage(this.#current.text);
  }

  #rest(): void {
    this.#worker?.unref();
    this.#timer = setTimeout(() => this.#stop(), idleMs).unref();
  }

  #start(): Worker {
    const worker = new Worker(this.#program, { env: threadEnvironment() });
    worker.on('message', (response: YamlResponse) => this.#settle(response));
    worker.on('error', cause => {
      if (worker === this.#worker) this.#fail(lost(cause));
    });
    return worker;
  }

  #settle(response: YamlResponse): void {
    const task = this.#current;
    this.#current = undefined;
    if ('json' in response) task?.resolve(Buffer.from(response.json.buffer));
    else task?.reject(new ChandleryError(response.code, response.message));
    this.#next();
  }

  /** The thread is of no more use; another one starts for the next text. */
  #fail(error: Error): void {
    const task = this.#current;
    this.#current = undefined;
    this.#stop();
    task?.reject(error);
    this.#next();
  }

  #stop(): void {
    void this.#worker?.terminate();
    this.#worker = undefined;
  }
}

function parseInline(json: string): JsonValue {
  scanJson(Buffer.from(json));
  return parseJson(json) as JsonValue;
}

function* parse(json: Buffer): Steps<JsonValue> {
  scanJson(json);
  yield;
  return (yield* parsingJson(json.toString())) as JsonValue;
}

const busy = (): Error =>
  apiError('TooManyRequests', 'too many long YAML bodies wait to be read; try again later, or send JSON', {
    retryAfterSeconds: 1,
  });

const tooSlow = (): Error =>
  apiError('RequestEntityTooLarge', 'the YAML takes too long to read; send it as JSON, or in smaller parts');

const lost = (cause: unknown): Error =>
  apiError('ServiceUnavailable', 'the thread that reads YAML has stopped; try again, or send JSON', {}, cause);
