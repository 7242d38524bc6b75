import { connect, createServer, type Socket } from 'node:net';
import { type Logger, listenError } from '@chandlery/platform';
import { postgresTlsRequest, readClientHello } from './client-hello.ts';

/** Where an instance listens. */
export interface Backend {
  readonly address: string;
  readonly port: number;
}

export interface SniRouterOptions {
  readonly host: string;
  /** 0: any that is free. */
  readonly port: number;
  /** Where the named host is served; undefined: nowhere. */
  readonly findBackend: (serverName: string) => Backend | undefined;
  readonly logger: Logger;
}

/** A router that listens. */
export interface SniRouter extends AsyncDisposable {
  readonly port: number;
}

const maxHelloBytes = 16_384;
const helloTimeoutMs = 10_000;
const connectTimeoutMs = 5000;

/**
 * Listens on one port for all instances and passes each TLS connection on to the instance that its client names, as an
 * ingress does. It sees no plain text: certificates are those of the instances. PostgreSQL clients, which ask for TLS
 * first, are served too.
 */
export async function startSniRouter(options: SniRouterOptions): Promise<SniRouter> {
  const { host, port } = options;
  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true }, client => {
    sockets.add(client.on('close', () => sockets.delete(client)));
    route(client, options);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', error => reject(listenError(error, { host, port, flag: '--router-port' })));
    server.listen(port, host, resolve);
  });
  return {
    port: (server.address() as { port: number }).port,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise(resolve => server.close(resolve));
    },
  };
}

/** Reads until the client has named its host, then connects both sides. */
function route(client: Socket, options: SniRouterOptions): void {
  let received = Buffer.alloc(0);
  let isPostgres = false;
  const read = (chunk: Buffer): void => {
    received = Buffer.concat([received, chunk]);
    const hello = readClientHello(received);
    if (hello.type === 'postgres-tls-request' && !isPostgres) {
      isPostgres = true;
      received = received.subarray(postgresTlsRequest.length);
      client.write('S');
    } else if (hello.type === 'hello') {
      client.off('data', read).pause().setTimeout(0);
      passOn(client, received, { ...options, isPostgres, serverName: hello.serverName });
    } else if (hello.type !== 'incomplete' || received.length > maxHelloBytes) client.destroy();
  };
  client.on('data', read);
  client.on('error', () => client.destroy());
  client.setTimeout(helloTimeoutMs, () => client.destroy());
}

interface Passage extends SniRouterOptions {
  readonly isPostgres: boolean;
  readonly serverName: string | undefined;
}

function passOn(client: Socket, received: Buffer, { serverName, isPostgres, findBackend, logger }: Passage): void {
  const backend = serverName === undefined ? undefined : findBackend(serverName);
  if (backend === undefined) {
    logger.debug('a connection leads nowhere', { host: serverName });
    client.destroy();
    return;
  }
  const instance = connect({ host: backend.address, port: backend.port, noDelay: true });
  instance.setTimeout(connectTimeoutMs, () => instance.destroy());
  instance.once('connect', () => {
    instance.setTimeout(0);
    if (!isPostgres) return join(client, instance, received);
    instance.write(postgresTlsRequest);
    instance.once('data', reply => (reply.toString() === 'S' ? join(client, instance, received) : instance.destroy()));
  });
  for (const socket of [client, instance]) socket.on('error', () => socket.destroy());
  instance.once('close', () => client.destroy());
  client.once('close', () => instance.destroy());
}

function join(client: Socket, instance: Socket, received: Buffer): void {
  instance.write(received);
  client.pipe(instance).pipe(client);
}
