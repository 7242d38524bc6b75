import { once } from 'node:events';
import { isIP } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import { ChandleryError } from '@chandlery/api';
import type { CertificateFiles } from './certificate-folder.ts';

/** Address of the control plane's port for proxies. */
export interface ControlPlaneAddress {
  readonly host: string;
  readonly port: number;
  /** The name in its certificate. Default: the host. */
  readonly name?: string;
}

/** Options of a connection to the control plane. */
export interface ConnectOptions {
  /** Client certificate and trust bundle. */
  readonly files: CertificateFiles;
  readonly signal: AbortSignal;
  /** Connection timeout. Default 10 000. */
  readonly timeoutMs?: number;
}

/**
 * Connects to the control plane over TLS with a client certificate. Rejects when the connection or the verification of
 * the server fails, with `Timeout` after the timeout. The caller destroys the socket.
 */
export const connectControlPlane = (address: ControlPlaneAddress, options: ConnectOptions): Promise<TLSSocket> =>
  withTimeout(address, options, signal => shakeHands(address, options.files, signal));

/**
 * Checks whether the control plane is reachable: connects, waits for its first bytes, and disconnects. The first bytes
 * prove that the server accepted the connection: a client completes the handshake before the server has verified its
 * certificate.
 */
export const probeControlPlane = (address: ControlPlaneAddress, options: ConnectOptions): Promise<void> =>
  withTimeout(address, options, async signal => {
    const socket = await shakeHands(address, options.files, signal);
    try {
      await once(socket, 'readable', { signal });
      if (socket.read() === null) throw new Error('it closed the connection at once');
    } finally {
      socket.destroy();
    }
  });

async function withTimeout<T>(
  { host, port }: ControlPlaneAddress,
  { signal, timeoutMs = 10_000 }: ConnectOptions,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    return await work(AbortSignal.any([signal, timeout]));
  } catch (cause) {
    if (!timeout.aborted || signal.aborted) throw cause;
    throw new ChandleryError('Timeout', `${host}:${port} did not respond in time`, { cause });
  }
}

async function shakeHands(
  { host, port, name = host }: ControlPlaneAddress,
  files: CertificateFiles,
  signal: AbortSignal,
): Promise<TLSSocket> {
  // SNI allows no IP addresses; these are still verified against the certificate.
  const servername = isIP(name) === 0 ? { servername: name } : {};
  const socket = connect({ host, port, ...files, ...servername, ALPNProtocols: ['h2'], minVersion: 'TLSv1.2' });
  try {
    await once(socket, 'secureConnect', { signal });
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  }
}
