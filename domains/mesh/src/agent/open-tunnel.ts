import { once } from 'node:events';
import { type AddressInfo, BlockList, createServer, type Server, type Socket } from 'node:net';
import { pipeline } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { ChandleryError } from '@chandlery/api';
import type { CertificateFiles } from './certificate-folder.ts';
import { type ControlPlaneAddress, connectControlPlane } from './connect-control-plane.ts';
import { listenPrivately } from './private-socket.ts';

/**
 * Listening address of the tunnel: a socket file that only its owner can access, or a loopback address, which all users
 * of the machine can reach.
 */
export type TunnelAddress = { readonly path: string } | { readonly host: string; readonly port: number };

export interface TunnelOptions {
  /** Clients of this address are authenticated as the owner of the certificate. */
  readonly listen: TunnelAddress;
  /** Address of the control plane. A function is called for each connection. */
  readonly target: ControlPlaneAddress | (() => ControlPlaneAddress);
  /** Called for each connection, so that a renewed certificate applies to the next one. */
  readonly readCertificate: () => CertificateFiles | Promise<CertificateFiles>;
  /** Maximum number of concurrent connections. Default 1 000. */
  readonly maxConnections?: number;
  /**
   * Called when the control plane is not reachable for a client, whose connection is then closed. Default: not called.
   */
  readonly onFailure?: () => void;
}

/** Forwards connections until disposed of; then they are closed. */
export interface Tunnel extends AsyncDisposable {
  /** 0 for a socket file. */
  readonly port: number;
}

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/**
 * Opens a tunnel for clients without TLS support: plain local connections are forwarded to the control plane over TLS
 * with a client certificate. Throws `InvalidTunnel` for an address that other machines, or a path that other users can
 * reach.
 */
export async function openTunnel(options: TunnelOptions): Promise<Tunnel> {
  const sockets = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true, noDelay: true }, socket => {
    track(sockets, socket);
    void carry(socket, sockets, options);
  });
  server.maxConnections = options.maxConnections ?? 1_000;
  await listenAt(server, options.listen);
  const address = server.address() as AddressInfo | string;
  const port = typeof address === 'string' ? 0 : address.port;
  return { port, [Symbol.asyncDispose]: () => close(server, sockets) };
}

async function listenAt(server: Server, address: TunnelAddress): Promise<void> {
  if ('path' in address) return listenPrivately(server, address.path);
  const { host, port } = address;
  if (!isLoopback(host)) {
    throw new ChandleryError('InvalidTunnel', `cannot open a tunnel on ${host}: others could reach it`, {
      hint: 'Listen on 127.0.0.1 or ::1',
    });
  }
  server.listen(port, host);
  await once(server, 'listening');
}

const isLoopback = (host: string): boolean =>
  host === 'localhost' || loopback.check(host, host.includes(':') ? 'ipv6' : 'ipv4');

async function carry(near: Socket, sockets: Set<Socket>, options: TunnelOptions): Promise<void> {
  const closed = new AbortController();
  near.once('close', () => closed.abort());
  near.on('error', () => near.destroy());
  try {
    const far = await connectFar(options, closed.signal);
    track(sockets, far);
    const onEnd = (error: Error | null | undefined): void => {
      if (!error) return;
      near.destroy();
      far.destroy();
    };
    pipeline(near, far, onEnd);
    pipeline(far, near, onEnd);
  } catch {
    if (!closed.signal.aborted) options.onFailure?.();
    near.destroy();
  }
}

async function connectFar({ target, readCertificate }: TunnelOptions, signal: AbortSignal): Promise<TLSSocket> {
  const files = await readCertificate();
  return connectControlPlane(typeof target === 'function' ? target() : target, { files, signal });
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
