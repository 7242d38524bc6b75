import { once } from 'node:events';
import { createServer as createHttp1, type IncomingMessage, request } from 'node:http';
import { connect, createServer as createHttp2, type IncomingHttpHeaders } from 'node:http2';
import { createServer, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';

/** Versions of HTTP that are spoken without TLS. */
export const httpVersions = ['1.1', '2.0'] as const;
export type HttpVersion = (typeof httpVersions)[number];

/** A workload behind a sidecar: answers every request with the version of HTTP by which it came. */
export async function startPlainWorkload(host: string, port: number): Promise<AsyncDisposable> {
  // It closes no connection by itself: a closed one was closed by a proxy.
  const http1 = createHttp1({ keepAliveTimeout: 0 }, (asked, answer) => void answer.end(asked.httpVersion));
  const http2 = createHttp2((asked, answer) => void answer.end(asked.httpVersion));
  const sockets = new Set<Socket>();
  const server = createServer(socket => {
    sockets.add(socket);
    socket.once('readable', () => {
      const first = socket.read() as Buffer | null;
      if (first === null) return;
      socket.unshift(first);
      (String(first).startsWith('PRI ') ? http2 : http1).emit('connection', socket);
    });
  });
  // A sidecar listens on the same port of all addresses.
  await once(server.listen({ host, port, reusePort: true }), 'listening');
  return {
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise(resolve => server.close(resolve));
    },
  };
}

export interface PlainCall {
  readonly host: string;
  readonly port: number;
  /** Which service is meant. */
  readonly authority: string;
  readonly path: string;
}

export interface PlainAnswer {
  readonly status: number;
  readonly body: string;
}

const inTime = (): { signal: AbortSignal } => ({ signal: AbortSignal.timeout(10_000) });

/** Calls by one version of HTTP, on a connection of its own. */
export const callPlainly = (version: HttpVersion, call: PlainCall): Promise<PlainAnswer> =>
  version === '2.0' ? callHttp2(call) : callHttp1(call);

async function callHttp1({ host, port, path, authority }: PlainCall): Promise<PlainAnswer> {
  const asked = request({ host, port, path, headers: { host: authority }, agent: false }).end();
  const [answer] = (await once(asked, 'response', inTime())) as [IncomingMessage];
  return { status: answer.statusCode ?? 0, body: await text(answer) };
}

async function callHttp2({ host, port, path, authority }: PlainCall): Promise<PlainAnswer> {
  const session = connect(`http://${host}:${port}`);
  try {
    const stream = session.request({ ':path': path, ':authority': authority });
    const [headers] = (await once(stream, 'response', inTime())) as [IncomingHttpHeaders];
    return { status: Number(headers[':status']), body: await text(stream) };
  } finally {
    session.destroy();
  }
}
