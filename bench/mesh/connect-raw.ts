import type { SocketConstructorOpts } from 'node:net';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';

/** Port and credentials of the server. */
export interface RawAddress {
  readonly port: number;
  /** All PEM. */
  readonly tls: { readonly ca: string; readonly cert: string; readonly key: string };
}

/** The input buffer of a socket. */
export interface RawInput {
  /** Every chunk is read into these bytes; other sockets may share them. */
  readonly bytes: Buffer;
  readonly onChunk: (chunk: Buffer) => void;
}

/**
 * Starts to connect to a local server, for HTTP/2. The server certificate must be from the given authority; its name is
 * not checked. No chunk arrives before `secureConnect`.
 */
export function connectRaw({ port, tls }: RawAddress, { bytes, onChunk }: RawInput): TLSSocket {
  const onRead = (length: number): boolean => {
    onChunk(bytes.subarray(0, length));
    return true;
  };
  // The types do not declare `onread` for TLS sockets.
  const options: ConnectionOptions & Pick<SocketConstructorOpts, 'onread'> = {
    host: '127.0.0.1',
    port,
    ...tls,
    ALPNProtocols: ['h2'],
    checkServerIdentity: () => undefined,
    onread: { buffer: bytes, callback: onRead },
  };
  return connect(options).setNoDelay(true);
}
