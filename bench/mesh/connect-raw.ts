import type { SocketConstructorOpts } from 'node:net';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';

/** Whom to connect to, and what both sides prove themselves with. */
export interface RawAddress {
  readonly port: number;
  /** All PEM. */
  readonly tls: { readonly ca: string; readonly cert: string; readonly key: string };
}

/** How bytes come in. */
export interface RawInput {
  /** Every chunk is put into these bytes; other sockets may use them too. */
  readonly bytes: Buffer;
  readonly onChunk: (chunk: Buffer) => void;
}

/**
 * Begins to connect to a server of this machine, for HTTP/2. The certificate of the server must come from the given
 * authority; whose it is does not matter. Chunks do not come before `secureConnect`.
 */
export function connectRaw({ port, tls }: RawAddress, { bytes, onChunk }: RawInput): TLSSocket {
  const onRead = (length: number): boolean => {
    onChunk(bytes.subarray(0, length));
    return true;
  };
  // The types do not say that sockets with TLS have `onread` too.
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
