import { once } from 'node:events';
import { type AddressInfo, BlockList, createServer, type Server, type Socket } from 'node:net';
import { pipeline } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { ChandleryError } from '@chandlery/api';
import type { CertificateFiles } from './certificate-folder.ts';
import { type ControlPlaneAddress, connectControlPlane } from './connect-control-plane.ts';
import { listenPrivately } from './private-socket.ts';

/**
 * Where clients of this machine connect: a socket file of the owner alone, or a loopback address, which every user of the
 * machine can reach.
 */
export type TunnelAddress = { readonly path: string } | { readonly host: string; readonly port: number };

export interface TunnelOptions {
  /** Whoever connects there speaks in the name of the certificate. */
  readonly listen: TunnelAddress;
  /** The control plane. A function is asked for each connection. */
  readonly target: ControlPlaneAddress | (() => ControlPlaneAddress);
  /** Asked for each connection, so that a renewed certificate is used from the next one on. */
  readonly readCertificate: () => CertificateFiles | Promise<CertificateFiles>;
  /** How many connections are carried at the same time. Default 1 000. */
  readonly maxConnections?: number;
  /** Called when the control plane cannot be reached for a client, which is cut off then. Default: nobody is told. */
  readonly onFailure?: () => void;
}

/** Carries connections until disposed of; then they are cut. */
export interface Tunnel extends AsyncDisposable {
  /** 0 for a socket file. */
  readonly port: number;
}

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/**
 * Opens a tunnel for clients that cannot prove themselves: plain connections of this machine go on to the control plane
 * over TLS, with a client certificate. Throws `InvalidTunnel` for an address that other machines, or a path that other users
 * can reach.
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
  const gone = new AbortController();
  near.once('close', () => gone.abort());
  near.on('error', () => near.destroy());
  try {
    const far = await connectFar(options, gone.signal);
    track(sockets, far);
    const onEnd = (error: Error | null | undefined): void => {
      if (!error) return;
      near.destroy();
      far.destroy();
    };
    pipeline(near, far, onEnd);
    pipeline(far, near, onEnd);
  } catch {
    if (!gone.signal.aborted) options.onFailure?.();
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
