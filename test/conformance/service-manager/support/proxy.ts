import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import WebSocket from 'ws';
import { type BasicLogin, type Body, basicOf } from './http.ts';
import type { Stage } from './stage.ts';

/** The client end of a WebSocket, which collects messages. */
export interface Proxy extends AsyncDisposable {
  readonly socket: WebSocket;
  readonly headers: IncomingMessage['headers'];
  readonly heard: readonly Body[];
  /** Resolves with the first matching message, received already or later. */
  hear(isSuch: (message: Body) => boolean): Promise<Body>;
}

interface ConnectOptions {
  readonly login?: BasicLogin;
  readonly revision?: string | number;
  readonly headers?: Readonly<Record<string, string>>;
}

const path = '/v1/notifications';

/** Connects. Answers a proxy, or the status with which it was refused; either way the stage has seen it. */
export async function connectProxy(
  stage: Stage,
  { login, revision, headers = {} }: ConnectOptions,
): Promise<Proxy | number> {
  const query = revision === undefined ? '' : `?last_notification_revision=${revision}`;
  const { port, ca } = stage.landscape;
  const socket = new WebSocket(`wss://127.0.0.1:${port}${path}${query}`, {
    ca,
    headers: { ...(login && { authorization: basicOf(login) }), ...headers },
  });
  const heard: Body[] = [];
  socket.on('message', data => heard.push(JSON.parse((data as Buffer).toString()) as Body));
  const { statusCode = 0, headers: greeting, error } = await greetingOf(socket);
  stage.saw({ method: 'GET', path: path + query, status: statusCode, error });
  if (statusCode !== 101) return statusCode;
  const hear = async (isSuch: (message: Body) => boolean): Promise<Body> => {
    for (;;) {
      const found = heard.find(isSuch);
      if (found !== undefined) return found;
      await once(socket, 'message', { signal: AbortSignal.timeout(10_000) });
    }
  };
  const end = async () => {
    if (socket.readyState === WebSocket.CLOSED) return;
    const closed = once(socket, 'close');
    socket.terminate();
    await closed;
  };
  return { socket, headers: greeting, heard, hear, [Symbol.asyncDispose]: end };
}

/** Connects, and fails when that is refused. */
export async function proxyOf(stage: Stage, options: ConnectOptions): Promise<Proxy> {
  const connected = await connectProxy(stage, options);
  if (typeof connected === 'number') throw new Error(`refused with ${connected}`);
  return connected;
}

interface Greeting extends Pick<IncomingMessage, 'statusCode' | 'headers'> {
  /** The word of a refusal. */
  readonly error?: unknown;
}

function greetingOf(socket: WebSocket): Promise<Greeting> {
  return new Promise((resolve, reject) => {
    socket
      .on('upgrade', ({ headers }) => socket.once('open', () => resolve({ statusCode: 101, headers })))
      .on('unexpected-response', (_request, response) => void readRefusal(response).then(resolve, reject))
      .on('error', reject);
  });
}

async function readRefusal(response: IncomingMessage): Promise<Greeting> {
  let text = '';
  for await (const chunk of response) text += String(chunk);
  const { statusCode, headers } = response;
  const error = text === '' ? undefined : (JSON.parse(text) as Body)['error'];
  return { statusCode, headers, error };
}

/** One line after another of a stream. */
export async function* linesOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<string, void> {
  let rest = '';
  for await (const chunk of body) {
    const lines = (rest + Buffer.from(chunk).toString()).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
}
