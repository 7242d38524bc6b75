import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface TestRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export interface TestResponse {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Becomes JSON, except a {@link RawBody}. */
  readonly body: unknown;
}

/** A body that is sent as it is. */
export class RawBody {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Certificate and key of a server that SDKs reach by TLS. */
export interface TestTls {
  readonly cert: string;
  readonly key: string;
}

/** Starts an HTTP server whose responses are JSON, unless they say otherwise. */
export async function startTestHttpServer(
  respond: (request: TestRequest) => TestResponse | Promise<TestResponse>,
  tls?: TestTls,
) {
  const listener = async (request: IncomingMessage): Promise<TestResponse> => {
    const { method = 'GET', headers, url = '/' } = request;
    const base = `${tls ? 'https' : 'http'}://${headers.host}`;
    return respond({ method, headers, url: new URL(url, base), body: await text(request) });
  };
  const server = tls ? createTlsServer(tls) : createServer();
  server.on('request', (request, response) => {
    void listener(request).then(({ status = 200, headers = {}, body }) => {
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      response.end(body instanceof RawBody ? body.text : JSON.stringify(body));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise<void>(resolve => void server.close(() => resolve()));
    },
  };
}
