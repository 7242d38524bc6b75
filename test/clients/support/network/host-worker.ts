import { once } from 'node:events';
import { createServer, type IncomingMessage, request } from 'node:http';
import { connect, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import type { CallOutcome, HostAddress, HostCommand } from './host-command.ts';

/** The program of one host: does in its network namespace what the test asks over a unix socket. */

const callTimeoutMs = 20_000;
const hanging = new Set<number>();
const tapped = new Map<number, Buffer[]>();

function get(url: string): Promise<CallOutcome> {
  const { promise, resolve } = Promise.withResolvers<CallOutcome>();
  const fail = (error: NodeJS.ErrnoException): void => resolve({ outcome: error.code ?? error.message, text: '' });
  const asked = request(url, { agent: false, timeout: callTimeoutMs }, answer => {
    text(answer).then(body => resolve({ outcome: String(answer.statusCode), text: body }), fail);
  });
  asked.once('timeout', () => asked.destroy(new Error('no answer')));
  asked.once('error', fail).end();
  return promise;
}

function hear(from: HostAddress): Promise<CallOutcome> {
  const { promise, resolve } = Promise.withResolvers<CallOutcome>();
  let received = '';
  const socket = connect(from).setEncoding('utf8').setTimeout(callTimeoutMs);
  socket.on('data', text => (received += String(text)));
  socket.once('timeout', () => socket.destroy(new Error('no answer')));
  socket.once('error', (error: NodeJS.ErrnoException) =>
    resolve({ outcome: error.code ?? error.message, text: received }),
  );
  socket.once('close', () => resolve({ outcome: 'closed', text: received }));
  return promise;
}

async function greet({ host, port }: HostAddress, words: string): Promise<void> {
  await once(createTcpServer(socket => socket.on('error', () => undefined).end(words)).listen(port, host), 'listening');
}

async function serve({ host, port }: HostAddress, body: string): Promise<void> {
  const server = createServer((_, answer) => {
    if (!hanging.has(port)) answer.end(body);
  });
  await once(server.listen(port, host), 'listening');
}

/** Joins two connections; when one ends, so does the other. */
function join(one: Socket, other: Socket): void {
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    from.pipe(to);
    from.on('error', () => to.destroy()).on('close', () => to.destroy());
  }
}

async function forward({ host, port }: HostAddress, open: () => Socket, look: (sent: Buffer) => void): Promise<void> {
  const server: Server = createTcpServer(socket => {
    socket.on('data', look);
    join(socket, open());
  });
  await once(server.listen(port, host), 'listening');
}

async function tap(at: HostAddress, to: HostAddress): Promise<void> {
  const sent: Buffer[] = [];
  tapped.set(at.port, sent);
  await forward(
    at,
    () => connect(to),
    bytes => sent.push(bytes),
  );
}

async function obey(command: HostCommand): Promise<unknown> {
  switch (command.do) {
    case 'get':
      return get(command.url);
    case 'serve':
      return serve(command.at, command.text);
    case 'greet':
      return greet(command.at, command.text);
    case 'hear':
      return hear(command.from);
    case 'hang':
      return command.isHanging ? hanging.add(command.port) : hanging.delete(command.port);
    case 'tap':
      return tap(command.at, command.to);
    case 'tapped':
      return Buffer.concat(tapped.get(command.port) ?? []).toString('base64');
    case 'leave':
      return forward(
        command.at,
        () => connect(command.socketPath),
        () => undefined,
      );
  }
}

const commands = createServer((asked: IncomingMessage, answer) => {
  void text(asked)
    .then(body => obey(JSON.parse(body) as HostCommand))
    .then(
      result => answer.end(JSON.stringify(result ?? null)),
      (error: unknown) => answer.writeHead(500).end(String(error)),
    );
});
commands.listen(process.argv[2], () => console.log('ready'));
