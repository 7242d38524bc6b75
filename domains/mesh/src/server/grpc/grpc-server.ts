import {
  type IncomingHttpHeaders,
  performServerHandshake,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import { ChandleryError } from '@chandlery/api';
import type { Connection } from '../connections/connection.ts';
import { parseTimeoutMs, responseHeaders, statusTrailers } from './grpc-status.ts';
import { isClosed, respondOnce } from './respond-once.ts';
import { type BeginCall, type IncomingCall, reportFailure, type ServeCallOptions, serveCall } from './serve-call.ts';
import { SessionLifetime, type SessionLimits } from './session-life.ts';

export interface GrpcServerOptions {
  /** Served methods, by path. */
  readonly methods: ReadonlyMap<string, BeginCall>;
  readonly calls: ServeCallOptions;
  readonly limits: SessionLimits & { readonly maxStreamsPerConnection: number };
}

/** Serves gRPC on accepted connections; it does not listen itself. */
export class GrpcServer {
  readonly #options: GrpcServerOptions;
  readonly #sessions = new Set<ServerHttp2Session>();

  constructor(options: GrpcServerOptions) {
    this.#options = options;
  }

  /** Serves a connection that negotiated HTTP/2. */
  serve(connection: Connection): void {
    const { limits, calls } = this.#options;
    const session = performServerHandshake(connection.socket, {
      // Node's own limit would reject new calls while much data is unsent; slow clients are detected per call instead.
      maxSessionMemory: Number.MAX_SAFE_INTEGER,
      settings: { maxConcurrentStreams: limits.maxStreamsPerConnection },
    });
    const life = new SessionLifetime(session, limits, connection);
    connection.sendGoaway = () => life.retire('root');
    this.#sessions.add(session);
    session.on('error', error => calls.logger.debug('connection failed', { why: error.message }));
    session.once('close', () => this.#sessions.delete(session));
    session.on('stream', (stream, headers) => {
      // A failed stream also emits `close`, which is handled.
      stream.on('error', ignore);
      if (isClosed(stream)) return void stream.resume();
      life.callOpened();
      stream.once('close', () => life.callClosed());
      this.#handle(connection, stream, headers);
    });
  }

  /** Accepts no more calls on any connection; each connection closes when its calls have ended. */
  drain(): void {
    for (const session of this.#sessions) session.close();
  }

  #handle(connection: Connection, stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void {
    if (!/^application\/grpc(?:$|[+;])/.test(headers['content-type'] ?? '')) return rejectHttp(stream, 415);
    if (headers[':method'] !== 'POST') return rejectHttp(stream, 405);
    try {
      const { begin, ...call } = this.#read(headers);
      serveCall({ stream, connection, ...call }, begin, this.#options.calls);
    } catch (error) {
      this.#reject(stream, error);
    }
  }

  /** Throws `Unimplemented`, `InvalidRequest`. */
  #read(headers: IncomingHttpHeaders): Pick<IncomingCall, 'method' | 'timeoutMs'> & { readonly begin: BeginCall } {
    const method = headers[':path'] ?? '';
    const begin = this.#options.methods.get(method) ?? unimplemented(`there is no method "${method.slice(0, 200)}"`);
    requirePlain(headers['grpc-encoding']);
    const timeoutMs = timeoutOf(headers['grpc-timeout']);
    return { method, begin, ...(timeoutMs === undefined ? {} : { timeoutMs }) };
  }

  #reject(stream: ServerHttp2Stream, error: unknown): void {
    const { code, details } = reportFailure(error, this.#options.calls);
    respondOnce(stream, { ...responseHeaders, ...statusTrailers(code, details) });
    stream.resume();
  }
}

function rejectHttp(stream: ServerHttp2Stream, status: number): void {
  respondOnce(stream, { ':status': status });
  stream.resume();
}

function requirePlain(encoding: string | string[] | undefined): void {
  if (encoding !== undefined && encoding !== 'identity') unimplemented('compressed messages are not supported');
}

function timeoutOf(text: string | string[] | undefined): number | undefined {
  if (text === undefined) return undefined;
  const timeoutMs = parseTimeoutMs(String(text));
  if (timeoutMs === undefined) throw new ChandleryError('InvalidRequest', 'grpc-timeout is not a time');
  return timeoutMs;
}

function unimplemented(why: string): never {
  throw new ChandleryError('Unimplemented', why);
}

const ignore = (): void => undefined;
