import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { once } from 'node:events';
import type { AddressInfo, Server, Socket } from 'node:net';
import { listenError } from '@chandlery/platform';
import { defaultDnsPort } from '../../model/configuration/read-dns.ts';
import type { DnsChange, DnsRecord, DnsZone } from '../../ports.ts';
import { answerQuery } from './answer-query.ts';
import { canonicalName } from './dns-records.ts';
import { createTcpDnsServer } from './tcp-queries.ts';
import { ZoneTable } from './zone-table.ts';

export { defaultDnsPort };

/** Where the server listens. */
export interface EmbeddedDnsOptions {
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** Over UDP and TCP. Default 18053; 0 takes a free one. */
  readonly port?: number;
  /** How many free ports are tried when `port` is 0. Default 5. */
  readonly attempts?: number;
}

/** A zone whose content is held in memory; the caller that starts the server loads it. */
export interface EmbeddedDnsZone extends DnsZone {
  readonly domain: string;
  /** Replaces the whole content. Throws `TerminalError` and changes nothing when a record is invalid. */
  load(records: readonly DnsRecord[]): void;
}

/** An authoritative DNS server in this process, over UDP and TCP, for any number of zones. */
export class EmbeddedDnsServer implements AsyncDisposable {
  readonly #zones = new Map<string, ZoneTable>();
  readonly #udp: UdpSocket;
  readonly #tcp: Server;
  readonly #connections = new Set<Socket>();
  readonly #host: string;

  private constructor(host: string) {
    this.#host = host;
    this.#udp = createSocket(host.includes(':') ? 'udp6' : 'udp4');
    this.#tcp = createTcpDnsServer(query => this.#answer(query, 'tcp'));
    this.#tcp.on('connection', socket => this.#track(socket));
    this.#udp.on('message', (query, { port, address }) => {
      const response = this.#answer(query, 'udp');
      // A response that could not be sent is dropped; the client retries.
      if (response !== undefined) this.#udp.send(response, port, address, () => {});
    });
  }

  /** Listens. Rejects with `PortTaken` when another process has the port. */
  static async start({
    host = '127.0.0.1',
    port = defaultDnsPort,
    attempts = 5,
  }: EmbeddedDnsOptions = {}): Promise<EmbeddedDnsServer> {
    const server = new EmbeddedDnsServer(host);
    try {
      await server.#listen(port);
      return server;
    } catch (error) {
      await server[Symbol.asyncDispose]();
      // A port that is free over TCP may be taken over UDP; another one will do.
      if (port === 0 && attempts > 1) return EmbeddedDnsServer.start({ host, port, attempts: attempts - 1 });
      throw listenError(error, { host, port, flag: 'dns.port of the fleet configuration' });
    }
  }

  get port(): number {
    return (this.#tcp.address() as AddressInfo).port;
  }

  /** Serves a zone, empty at first; returns the same one for the same domain. */
  zone(domain: string): EmbeddedDnsZone {
    const name = canonicalName(domain);
    const table = this.#zones.get(name) ?? new ZoneTable(name);
    this.#zones.set(name, table);
    return embeddedZone(table);
  }

  /** Stops to serve a zone. */
  removeZone(domain: string): void {
    this.#zones.delete(canonicalName(domain));
  }

  async #listen(port: number): Promise<void> {
    this.#tcp.listen(port, this.#host);
    await once(this.#tcp, 'listening');
    this.#udp.bind(this.port, this.#host);
    await once(this.#udp, 'listening');
    for (const socket of [this.#tcp, this.#udp]) socket.on('error', () => {});
  }

  #track(socket: Socket): void {
    this.#connections.add(socket);
    socket.once('close', () => this.#connections.delete(socket));
  }

  #answer(query: Buffer, transport: 'udp' | 'tcp'): Buffer | undefined {
    return answerQuery(query, transport, { findZone: name => this.#findZone(name), address: this.#host });
  }

  /** The zone with the longest name. */
  #findZone(name: string): ZoneTable | undefined {
    for (let at = name; at !== ''; at = at.includes('.') ? at.slice(at.indexOf('.') + 1) : '') {
      const zone = this.#zones.get(at);
      if (zone !== undefined) return zone;
    }
    return undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#connections) socket.destroy();
    await Promise.all([
      new Promise<void>(resolve => void this.#tcp.close(() => resolve())),
      new Promise<void>(resolve => closeUdp(this.#udp, resolve)),
    ]);
  }
}

/** A socket that could not be bound is closed without an event. */
function closeUdp(socket: UdpSocket, done: () => void): void {
  try {
    socket.close(done);
  } catch {
    done();
  }
}

const doneAtOnce = (id: number): Promise<DnsChange> => Promise.resolve({ id: `embedded-${id}`, done: true });

const embeddedZone = (table: ZoneTable): EmbeddedDnsZone => ({
  domain: table.domain,
  load: records => table.load(records),
  upsert: async records => {
    table.upsert(records);
    return doneAtOnce(table.serial);
  },
  remove: async records => {
    table.remove(records);
    return doneAtOnce(table.serial);
  },
  isDone: () => Promise.resolve(true),
});
