import { connect } from 'node:net';
import { peerUnavailable } from '../../port-errors.ts';

/** A DNS server outside. */
export interface DnsServerAddress {
  readonly host: string;
  readonly port: number;
  /** For the whole exchange. */
  readonly timeoutMs: number;
}

const lengthBytes = 2;

/** Sends one message over TCP and returns the response. Rejects with `PeerUnavailable` when there is none in time. */
export async function exchangeOverTcp(message: Buffer, { host, port, timeoutMs }: DnsServerAddress): Promise<Buffer> {
  const socket = connect({ host, port });
  const timer = setTimeout(() => socket.destroy(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
  try {
    const length = Buffer.alloc(lengthBytes);
    length.writeUInt16BE(message.length);
    socket.write(Buffer.concat([length, message]));
    return await readMessage(socket);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw peerUnavailable(`the DNS server ${host}:${port} cannot be reached: ${why}`, cause);
  } finally {
    clearTimeout(timer);
    socket.destroy();
  }
}

async function readMessage(socket: AsyncIterable<Buffer>): Promise<Buffer> {
  let received = Buffer.alloc(0);
  for await (const chunk of socket) {
    received = Buffer.concat([received, chunk]);
    const end = received.length < lengthBytes ? undefined : lengthBytes + received.readUInt16BE(0);
    if (end !== undefined && received.length >= end) return received.subarray(lengthBytes, end);
  }
  throw new Error('it closed the connection');
}
