import { once } from 'node:events';
import { isIP } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import { ChandleryError } from '@chandlery/api';
import type { CertificateFiles } from './certificate-folder.ts';

/** Where the control plane listens for proxies. */
export interface ControlPlaneAddress {
  readonly host: string;
  readonly port: number;
  /** The name in its certificate. Default: the host. */
  readonly name?: string;
}

/** How to connect. */
export interface ConnectOptions {
  /** As whom, and whom to believe. */
  readonly files: CertificateFiles;
  readonly signal: AbortSignal;
  /** How long the control plane may take. Default 10 000. */
  readonly timeoutMs?: number;
}

/**
 * Connects to the control plane over TLS, with a client certificate. Rejects when nobody answers (`Timeout` when that is a
 * matter of time), and when whoever answers is not the control plane. The caller destroys the socket.
 */
export const connectControlPlane = (address: ControlPlaneAddress, options: ConnectOptions): Promise<TLSSocket> =>
  withTimeout(address, options, signal => shakeHands(address, options.files, signal));

/**
 * Looks whether the control plane can be reached: connects, waits for its first words, and leaves. By them it is known that
 * the control plane takes the connection: handshakes end for the client before the server has seen its certificate.
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
    throw new ChandleryError('Timeout', `${host}:${port} did not answer in time`, { cause });
  }
}

async function shakeHands(
  { host, port, name = host }: ControlPlaneAddress,
  files: CertificateFiles,
  signal: AbortSignal,
): Promise<TLSSocket> {
  // Addresses are no server names; they are compared with the certificate all the same.
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
