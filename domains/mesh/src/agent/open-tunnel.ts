import { once } from 'node:events';
import { type AddressInfo, BlockList, createServer, isIP, type Server, type Socket } from 'node:net';
import { pipeline } from 'node:stream';
import { connect, type TLSSocket } from 'node:tls';
import { ChandleryError, toError } from '@chandlery/api';
import { type Logger, silentLogger } from '@chandlery/platform';
import type { CertificateFiles } from './certificate-folder.ts';

export interface TunnelOptions {
  /** A loopback address: whoever reaches it speaks in the name of the certificate. */
  readonly listen: { readonly host: string; readonly port: number };
  /** The control plane. */
  readonly target: {
    readonly host: string;
    readonly port: number;
    /** The name in its certificate. Default: the host. */
    readonly name?: string;
  };
  /** Asked for each connection, so that a renewed certificate is used from the next one on. */
  readonly readCertificate: () => CertificateFiles | Promise<CertificateFiles>;
  /** How many connections are carried at the same time. Default 1 000. */
  readonly maxConnections?: number;
  readonly logger?: Logger;
}

/** Carries connections until disposed of; then they are cut. */
export interface Tunnel extends AsyncDisposable {
  readonly port: number;
}

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/**
 * Opens a tunnel for clients that cannot prove themselves: plain connections of this machine go on to the control plane
 * over TLS, with a client certificate. Throws `InvalidTunnel` for an address that others can reach.
 */
export async function openTunnel(options: TunnelOptions): Promise<Tunnel> {
  const { host, port } = options.listen;
  if (!isLoopback(host)) {
    throw new ChandleryError('InvalidTunnel', `cannot open a tunnel on ${host}: others could reach it`, {
      hint: 'Listen on 127.0.0.1 or ::1',
    });
  }
  const sockets = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true, noDelay: true }, socket => {
    track(sockets, socket);
    void carry(socket, sockets, options);
  });
  server.maxConnections = options.maxConnections ?? 1_000;
  server.listen(port, host);
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, [Symbol.asyncDispose]: () => close(server, sockets) };
}

const isLoopback = (host: string): boolean =>
  host === 'localhost' || loopback.check(host, host.includes(':') ? 'ipv6' : 'ipv4');

async function carry(near: Socket, sockets: Set<Socket>, options: TunnelOptions): Promise<void> {
  const { logger = silentLogger, target } = options;
  try {
    const far = await connectFar(near, options);
    track(sockets, far);
    const onEnd = (error: Error | null | undefined): void => {
      if (!error) return;
      near.destroy();
      far.destroy();
    };
    pipeline(near, far, onEnd);
    pipeline(far, near, onEnd);
  } catch (error) {
    logger.warn('cannot reach the control plane', {
      target: `${target.host}:${target.port}`,
      why: toError(error).message,
    });
    near.destroy();
  }
}

async function connectFar(near: Socket, { target, readCertificate }: TunnelOptions): Promise<TLSSocket> {
  const gone = new AbortController();
  near.once('close', () => gone.abort());
  near.on('error', () => near.destroy());
  const files = await readCertificate();
  const { host, port, name = host } = target;
  // Addresses are no server names; they are compared with the certificate all the same.
  const servername = isIP(name) === 0 ? { servername: name } : {};
  const far = connect({ host, port, ...files, ...servername, ALPNProtocols: ['h2'], minVersion: 'TLSv1.2' });
  try {
    await once(far, 'secureConnect', { signal: gone.signal });
  } catch (error) {
    far.destroy();
    throw error;
  }
  return far;
}

function track(sockets: Set<Socket>, socket: Socket): void {
  sockets.add(socket);
  socket.once('close', () => sockets.delete(socket));
}

async function close(server: Server, sockets: ReadonlySet<Socket>): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  for (const socket of sockets) socket.destroy();
  await closed;
}
