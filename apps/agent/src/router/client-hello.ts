/** What the first bytes of a connection say. */
export type HelloResult =
  /** More bytes are needed. */
  | { readonly type: 'incomplete' }
  /** PostgreSQL asks for TLS before it begins TLS. */
  | { readonly type: 'postgres-tls-request' }
  /** The name that the client wants to reach; undefined: it named none. */
  | { readonly type: 'hello'; readonly serverName: string | undefined }
  /** Not TLS. */
  | { readonly type: 'invalid' };

/** What PostgreSQL clients send first: a length of 8 and the code 80877103. */
export const postgresTlsRequest = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f]);

const handshakeRecord = 0x16;
const clientHello = 0x01;
const serverNameExtension = 0;
const hostNameType = 0;

/** Reads the server name (RFC 6066) out of the first bytes of a TLS connection. */
export function readClientHello(bytes: Buffer): HelloResult {
  if (bytes.length >= 1 && bytes[0] === 0) return readPostgres(bytes);
  if (bytes.length >= 1 && bytes[0] !== handshakeRecord) return { type: 'invalid' };
  const message = joinRecords(bytes);
  if (message === 'invalid') return { type: 'invalid' };
  if (message === 'incomplete' || message.length < 4) return { type: 'incomplete' };
  if (message[0] !== clientHello) return { type: 'invalid' };
  const length = message.readUIntBE(1, 3);
  if (message.length < 4 + length) return { type: 'incomplete' };
  try {
    return { type: 'hello', serverName: serverNameOf(new Reader(message.subarray(4, 4 + length))) };
  } catch (error) {
    if (error instanceof RangeError) return { type: 'invalid' };
    throw error;
  }
}

function readPostgres(bytes: Buffer): HelloResult {
  const begin = postgresTlsRequest.subarray(0, bytes.length);
  if (!bytes.subarray(0, postgresTlsRequest.length).equals(begin)) return { type: 'invalid' };
  return bytes.length < postgresTlsRequest.length ? { type: 'incomplete' } : { type: 'postgres-tls-request' };
}

/** The handshake message, which may be spread over several records. The last record may be cut. */
function joinRecords(bytes: Buffer): Buffer | 'incomplete' | 'invalid' {
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    if (bytes[at] !== handshakeRecord) return parts.length === 0 ? 'invalid' : Buffer.concat(parts);
    if (bytes.length < at + 5) break;
    const length = bytes.readUInt16BE(at + 3);
    parts.push(bytes.subarray(at + 5, at + 5 + length));
    at += 5 + length;
  }
  return parts.length === 0 ? 'incomplete' : Buffer.concat(parts);
}

function serverNameOf(hello: Reader): string | undefined {
  hello.skip(2 + 32);
  hello.take(hello.uint8());
  hello.take(hello.uint16());
  hello.take(hello.uint8());
  if (hello.isEmpty) return undefined;
  const extensions = new Reader(hello.take(hello.uint16()));
  while (!extensions.isEmpty) {
    const type = extensions.uint16();
    const content = extensions.take(extensions.uint16());
    if (type === serverNameExtension) return hostNameOf(new Reader(content));
  }
  return undefined;
}

function hostNameOf(content: Reader): string | undefined {
  const names = new Reader(content.take(content.uint16()));
  while (!names.isEmpty) {
    const type = names.uint8();
    const name = names.take(names.uint16());
    if (type === hostNameType) return name.toString('ascii').toLowerCase();
  }
  return undefined;
}

/** Reads numbers and pieces one after the other. Throws `RangeError` beyond the end. */
class Reader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get isEmpty(): boolean {
    return this.#at >= this.#bytes.length;
  }

  uint8(): number {
    return this.take(1).readUInt8();
  }

  uint16(): number {
    return this.take(2).readUInt16BE();
  }

  skip(count: number): void {
    this.take(count);
  }

  take(count: number): Buffer {
    const end = this.#at + count;
    if (end > this.#bytes.length) throw new RangeError('the message ends too early');
    const piece = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return piece;
  }
}
