import { createSocket, type RemoteInfo } from 'node:dgram';
import { once } from 'node:events';
import { isIPv4 } from 'node:net';

/** The records of a name: addresses, or services as `priority weight port host`. */
type Records = Readonly<{ A?: readonly string[]; AAAA?: readonly string[]; SRV?: readonly string[]; ttl?: number }>;

const types = { 1: 'A', 28: 'AAAA', 33: 'SRV' } as const;
const [noError, serverFailure, nameError] = [0, 2, 3];

/** A DNS server on the loopback interface with the records of a test. */
export interface TestDnsServer extends AsyncDisposable {
  /** For `setServers`. */
  readonly address: string;
  /** By name, in lower case. Other names do not exist. */
  readonly records: Map<string, Records>;
  /** All queries, as `type name`. */
  readonly questions: string[];
  /** Whether it responds with SERVFAIL only. */
  isBroken: boolean;
}

export async function startTestDnsServer(): Promise<TestDnsServer> {
  const socket = createSocket('udp4');
  const server: TestDnsServer = {
    get address() {
      return `127.0.0.1:${socket.address().port}`;
    },
    records: new Map(),
    questions: [],
    isBroken: false,
    async [Symbol.asyncDispose]() {
      socket.close();
      await once(socket, 'close');
    },
  };
  socket.on('message', (query: Buffer, { port, address }: RemoteInfo) =>
    socket.send(answer(query, server), port, address),
  );
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return server;
}

function answer(query: Buffer, { records, questions, isBroken }: TestDnsServer): Buffer {
  const { name, end } = readName(query, 12);
  const type = types[query.readUInt16BE(end) as keyof typeof types];
  questions.push(`${type} ${name}`);
  const known = records.get(name.toLowerCase());
  const data = isBroken ? [] : (known?.[type] ?? []).map(text => encode(type, text));
  const failure = known === undefined ? nameError : noError;
  const header = Buffer.alloc(12);
  header.writeUInt16BE(query.readUInt16BE(0), 0);
  header.writeUInt16BE(0x8180 | (isBroken ? serverFailure : failure), 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(data.length, 6);
  const answers = data.map(bytes => resourceRecord(query.subarray(end, end + 4), known?.ttl ?? 0, bytes));
  return Buffer.concat([header, query.subarray(12, end + 4), ...answers]);
}

/** The name is a pointer to that of the query. */
function resourceRecord(typeAndClass: Buffer, ttl: number, data: Buffer): Buffer {
  const rest = Buffer.alloc(6);
  rest.writeUInt32BE(ttl, 0);
  rest.writeUInt16BE(data.length, 4);
  return Buffer.concat([Buffer.from([0xc0, 12]), typeAndClass, rest, data]);
}

function encode(type: 'A' | 'AAAA' | 'SRV', text: string): Buffer {
  if (type !== 'SRV') return isIPv4(text) ? Buffer.from(text.split('.').map(Number)) : ipv6Bytes(text);
  const [priority, weight, port, host = ''] = text.split(' ');
  const numbers = Buffer.alloc(6);
  for (const [index, number] of [priority, weight, port].entries()) numbers.writeUInt16BE(Number(number), index * 2);
  return Buffer.concat([numbers, writeName(host)]);
}

function ipv6Bytes(text: string): Buffer {
  const [head = '', tail = ''] = text.split('::');
  const parts = (part: string): string[] => (part === '' ? [] : part.split(':'));
  const middle = Array.from({ length: 8 - parts(head).length - parts(tail).length }, () => '0');
  const words = [...parts(head), ...middle, ...parts(tail)];
  return Buffer.from(words.map(word => word.padStart(4, '0')).join(''), 'hex');
}

const writeName = (name: string): Buffer =>
  Buffer.concat([
    ...name.split('.').map(label => Buffer.from([label.length, ...Buffer.from(label)])),
    Buffer.from([0]),
  ]);

function readName(message: Buffer, start: number): { readonly name: string; readonly end: number } {
  const labels: string[] = [];
  let at = start;
  for (let length = message.readUInt8(at); length > 0; length = message.readUInt8(at)) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length));
    at += length + 1;
  }
  return { name: labels.join('.'), end: at + 1 };
}
