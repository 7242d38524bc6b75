import type { Dispatcher } from 'undici';
import type { BrokerRequest, BrokerResponse } from '../../ports.ts';

/** What a call needs from the connection that sends it. */
export interface CallObserver {
  /** The timeout expired. Returns the error that the call rejects with. */
  expired(call: BrokerCall): Error;
  /** The caller aborted the call. */
  abandonedCall(call: BrokerCall): void;
  /** The exchange ended with a response. */
  completed(status: number): void;
  /** The exchange ended without a response. */
  failedCall(call: BrokerCall, thrown: Error): void;
  /** The caller has its result: the status of the response, or the reason why there is none. */
  settled(call: BrokerCall, result: unknown): void;
}

interface CallOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

const noBody = Buffer.alloc(0);

/** One call from its creation to its result: handles the callbacks of undici, the timeout and the abort signal. */
export class BrokerCall implements Dispatcher.DispatchHandler {
  readonly request: BrokerRequest;
  readonly timeoutMs: number;
  readonly response: Promise<BrokerResponse>;
  /** Whether the caller has its answer, or knows that there is none. */
  isSettled = false;
  wasSent = false;
  hasHeaders = false;
  isRepeated = false;
  readonly startedAtMs = performance.now();
  readonly #owner: CallObserver;
  readonly #signal: AbortSignal | undefined;
  readonly #timer: NodeJS.Timeout;
  readonly #resolve: (response: BrokerResponse) => void;
  readonly #reject: (reason: unknown) => void;
  #controller: Dispatcher.DispatchController | undefined;
  #status = 0;
  #headers: Record<string, string> = {};
  #first: Buffer | undefined;
  #chunks: Buffer[] | undefined;

  constructor(owner: CallObserver, request: BrokerRequest, { timeoutMs, signal }: CallOptions) {
    this.#owner = owner;
    this.request = request;
    this.timeoutMs = timeoutMs;
    this.#signal = signal;
    const { promise, resolve, reject } = Promise.withResolvers<BrokerResponse>();
    this.response = promise;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#timer = setTimeout(onTimer, timeoutMs, this);
    signal?.addEventListener('abort', this.#onAbort);
  }

  /** The time counts from here. */
  restartTimer(): void {
    this.#timer.refresh();
  }

  /** Begins again. */
  repeat(): void {
    this.isRepeated = true;
    this.wasSent = false;
  }

  expire(): void {
    this.#end(this.#owner.expired(this));
  }

  /** Rejects the promise of the caller. */
  fail(reason: unknown): void {
    if (this.isSettled) return;
    this.#settle();
    this.#owner.settled(this, reason);
    this.#reject(reason);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // The call was abandoned in the queue of undici: it must not reach the broker.
    if (this.isSettled) controller.abort(new Error('given up before it was sent'));
    else this.wasSent = true;
  }

  onResponseStart(_controller: unknown, status: number, headers: Record<string, string | string[] | undefined>): void {
    if (status < 200) return;
    this.hasHeaders = true;
    this.#status = status;
    for (const name in headers) {
      const value = headers[name];
      if (Array.isArray(value)) headers[name] = value.join(', ');
    }
    this.#headers = headers as Record<string, string>;
  }

  onResponseData(_controller: unknown, chunk: Buffer): void {
    if (this.#first === undefined) this.#first = chunk;
    else if (this.#chunks === undefined) this.#chunks = [this.#first, chunk];
    else this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    this.#owner.completed(this.#status);
    if (this.isSettled) return;
    this.#settle();
    this.#owner.settled(this, this.#status);
    const body = this.#chunks === undefined ? (this.#first ?? noBody) : Buffer.concat(this.#chunks);
    this.#resolve({ status: this.#status, headers: this.#headers, body });
  }

  onResponseError(_controller: unknown, error: Error): void {
    this.#owner.failedCall(this, error);
  }

  readonly #onAbort = (): void => {
    this.#owner.abandonedCall(this);
    this.#end(this.#signal?.reason);
  };

  #end(reason: unknown): void {
    this.fail(reason);
    this.#controller?.abort(new Error('given up'));
  }

  #settle(): void {
    this.isSettled = true;
    clearTimeout(this.#timer);
    this.#signal?.removeEventListener('abort', this.#onAbort);
  }
}

function onTimer(call: BrokerCall): void {
  call.expire();
}
