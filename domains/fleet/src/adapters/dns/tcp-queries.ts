import { createServer, type Server, type Socket } from 'node:net';

const maxConnections = 64;
const idleTimeoutMs = 10_000;
const lengthBytes = 2;
/** A query has one name and a few options. */
const maxQueryBytes = 4096;
/** A client that sends without reading is cut off. */
const maxUnreadBytes = 256 * 1024;

/** Serves DNS over TCP (RFC 7766): each message follows its length. Connections are bounded in number, size and time. */
export function createTcpDnsServer(answer: (query: Buffer) => Buffer | undefined): Server {
  const server = createServer(socket => serveConnection(socket, answer));
  server.maxConnections = maxConnections;
  return server;
}

function serveConnection(socket: Socket, answer: (query: Buffer) => Buffer | undefined): void {
  let pending: Buffer = Buffer.alloc(0);
  socket.setTimeout(idleTimeoutMs, () => socket.destroy());
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk: Buffer) => {
    pending = takeQueries(Buffer.concat([pending, chunk]), query => {
      const response = answer(query);
      if (response === undefined) socket.destroy();
      else socket.write(framed(response));
    });
    if (isTooLong(pending) || socket.writableLength > maxUnreadBytes) socket.destroy();
  });
}

/** Hands over each complete query and returns the incomplete rest. */
function takeQueries(bytes: Buffer, onQuery: (query: Buffer) => void): Buffer {
  let rest = bytes;
  while (!isTooLong(rest) && rest.length >= lengthBytes) {
    const end = lengthBytes + rest.readUInt16BE(0);
    if (rest.length < end) return rest;
    onQuery(rest.subarray(lengthBytes, end));
    rest = rest.subarray(end);
  }
  return rest;
}

const isTooLong = (bytes: Buffer): boolean => bytes.length >= lengthBytes && bytes.readUInt16BE(0) > maxQueryBytes;

function framed(message: Buffer): Buffer {
  const length = Buffer.alloc(lengthBytes);
  length.writeUInt16BE(message.length);
  return Buffer.concat([length, message]);
}
