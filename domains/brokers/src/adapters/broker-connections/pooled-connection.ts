import {
  type AddressPolicy,
  type Clock,
  currentSpan,
  currentTraceparent,
  type Logger,
  type Tracer,
  traced,
} from '@chandlery/platform';
import type { Pool } from 'undici';
import type { BrokerConnection, BrokerRequest, BrokerResponse, BrokerTarget, ObserveCall } from '../../ports.ts';
import { BrokerCall, type CallObserver } from './broker-call.ts';
import { brokerBusy, brokerTimeout, brokerUnreachable, failureOf, isUnsendable } from './broker-failures.ts';
import { CallLimiter } from './call-limiter.ts';
import { callOutcome } from './call-outcome.ts';
import { isAddressRejection } from './checked-lookup.ts';
import { authorizationOf, defaultLimits, type OwnCertificate, openPool } from './open-pool.ts';
import { requestHeaders } from './request-headers.ts';

export interface PooledConnectionOptions {
  readonly target: BrokerTarget;
  readonly own: OwnCertificate;
  readonly addresses: AddressPolicy;
  readonly logger: Logger;
  readonly clock: Clock;
  /** The broker did not believe our credentials. Default: nothing. */
  readonly onUnauthorized?: () => void;
  /** Records the calls. Default: nothing. */
  readonly observe?: ObserveCall;
  /** Records the calls that are part of a trace. Default: nothing. */
  readonly tracer?: Tracer | undefined;
  /** All its connections have ended. */
  readonly onClosed: () => void;
}

type CallOptions = NonNullable<Parameters<BrokerConnection['call']>[1]>;

const noOptions: CallOptions = {};

/** Connections to one broker, as many as it may have, with a bounded line of calls that wait for one. */
export class PooledConnection implements BrokerConnection, CallObserver, AsyncDisposable {
  readonly #options: PooledConnectionOptions;
  readonly #name: string;
  readonly #limits: typeof defaultLimits;
  readonly #authorization: string | undefined;
  readonly #limiter: CallLimiter;
  readonly #waiting = new Set<BrokerCall>();
  #prefix = '';
  #active = 0;
  #pool: Pool | undefined;
  #successor: BrokerConnection | undefined;

  constructor(options: PooledConnectionOptions) {
    const { target, logger, clock } = options;
    this.#options = options;
    this.#name = target.name;
    this.#limits = { ...defaultLimits, ...target.spec.limits };
    this.#authorization = authorizationOf(target);
    this.#limiter = new CallLimiter({ broker: target.name, limits: this.#limits, logger, clock });
  }

  call(request: BrokerRequest, options: CallOptions = noOptions): Promise<BrokerResponse> {
    const { tracer } = this.#options;
    if (tracer === undefined || currentSpan() === undefined) return this.#call(request, options);
    const { method, path } = request;
    const attributes = {
      'http.request.method': method,
      'url.path': path.split('?', 1)[0] as string,
      'chandlery.broker': this.#name,
    };
    return traced(tracer, `broker ${method}`, { kind: 'client', attributes, needsParent: true }, async span => {
      const response = await this.#call(withTraceparent(request), options);
      span.setAttribute('http.response.status_code', response.status);
      return response;
    });
  }

  #call(request: BrokerRequest, options: CallOptions): Promise<BrokerResponse> {
    if (this.#successor !== undefined) return this.#successor.call(request, options);
    const { signal } = options;
    if (signal?.aborted) return Promise.reject(signal.reason as Error);
    const rejection = this.#rejection();
    if (rejection !== undefined) {
      this.#options.observe?.('busy', 0);
      return Promise.reject(rejection);
    }
    const { timeoutMs = this.#limits.timeoutMs } = options;
    const call = new BrokerCall(this, request, signal === undefined ? { timeoutMs } : { timeoutMs, signal });
    if (this.#active < this.#limits.maxConnections) this.#send(call);
    else this.#waiting.add(call);
    return call.response;
  }

  /** Takes no calls any more but hands them on; ends its connections when its own calls have ended. */
  retire(successor: BrokerConnection): void {
    this.#successor = successor;
    this.#closeIfIdle();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = brokerUnreachable(this.#name, 'its connections have been closed');
    this.#successor = { call: () => Promise.reject(closed) };
    for (const call of this.#waiting) call.fail(closed);
    this.#waiting.clear();
    this.#options.onClosed();
    await this.#pool?.destroy();
  }

  expired(call: BrokerCall): Error {
    const { timeoutMs, wasSent } = call;
    if (this.#waiting.delete(call)) return brokerBusy(this.#name, 'all its connections stayed in use', timeoutMs);
    this.#failed();
    if (wasSent) return brokerTimeout(this.#name, timeoutMs);
    return brokerUnreachable(this.#name, `no connection within ${timeoutMs / 1000} s`);
  }

  abandonedCall(call: BrokerCall): void {
    if (!this.#waiting.delete(call)) this.#limiter.abandoned();
  }

  completed(status: number): void {
    this.#limiter.completed();
    if (status === 401) this.#options.onUnauthorized?.();
    this.#sendNext();
  }

  failedCall(call: BrokerCall, thrown: Error): void {
    if (!call.isSettled && isRepeatable(call)) {
      call.repeat();
      this.#dispatch(call);
      return;
    }
    if (!call.isSettled) {
      if (isUnsendable(thrown) || isAddressRejection(thrown)) this.#limiter.abandoned();
      else this.#failed();
      call.fail(failureOf(this.#name, thrown, call.wasSent));
    }
    this.#sendNext();
  }

  settled({ startedAtMs }: BrokerCall, result: unknown): void {
    this.#options.observe?.(callOutcome(result), (performance.now() - startedAtMs) / 1000);
  }

  /** Why a call is not even begun; undefined: it is. */
  #rejection(): Error | undefined {
    const { maxConnections, maxWaiting } = this.#limits;
    const isFull = this.#active >= maxConnections && this.#waiting.size >= maxWaiting;
    const full = isFull ? brokerBusy(this.#name, 'too many calls wait for it', 1000) : undefined;
    return this.#limiter.circuitOpen() ?? full ?? this.#limiter.rateLimited();
  }

  #send(call: BrokerCall): void {
    const rejection = this.#limiter.admit();
    if (rejection !== undefined) {
      call.fail(rejection);
      return;
    }
    this.#active += 1;
    this.#dispatch(call);
  }

  #dispatch(call: BrokerCall): void {
    const { method, path, headers, body } = call.request;
    try {
      this.#pool ??= this.#open();
    } catch (thrown) {
      this.failedCall(call, thrown as Error);
      return;
    }
    this.#pool.dispatch(
      {
        path: this.#prefix === '' ? path : this.#prefix + path,
        method,
        headers: requestHeaders(headers, this.#authorization),
        body: body ?? null,
      },
      call,
    );
  }

  #open(): Pool {
    const { target, own, addresses } = this.#options;
    this.#prefix = new URL(target.spec.url ?? '').pathname.replace(/\/+$/, '');
    return openPool(target, { own, addresses });
  }

  /** A call has ended: another one gets its place. */
  #sendNext(): void {
    this.#active -= 1;
    for (const call of this.#waiting) {
      if (this.#active >= this.#limits.maxConnections) break;
      this.#waiting.delete(call);
      call.restartTimer();
      this.#send(call);
    }
    if (this.#successor !== undefined) this.#closeIfIdle();
  }

  #failed(): void {
    const circuitOpen = this.#limiter.failed();
    if (circuitOpen === undefined) return;
    for (const call of this.#waiting) call.fail(circuitOpen);
    this.#waiting.clear();
  }

  #closeIfIdle(): void {
    if (this.#active > 0 || this.#waiting.size > 0) return;
    this.#options.onClosed();
    void this.#pool?.close().catch(() => undefined);
  }
}

/** The request with the header by which the broker continues the trace. */
function withTraceparent(request: BrokerRequest): BrokerRequest {
  const traceparent = currentTraceparent();
  return traceparent === undefined ? request : { ...request, headers: { ...request.headers, traceparent } };
}

/** Whether a failed call can be sent again: a GET on a reused connection that the broker closed at the same moment. */
const isRepeatable = ({ request, wasSent, hasHeaders, isRepeated }: BrokerCall): boolean =>
  request.method === 'GET' && wasSent && !hasHeaders && !isRepeated;
