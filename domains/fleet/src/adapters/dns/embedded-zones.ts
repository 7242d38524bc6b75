import { isError } from '@chandlery/api';
import type { Logger } from '@chandlery/platform';
import { recordsOf } from '../../model/dns-records.ts';
import type { DnsRecord } from '../../ports.ts';
import type { FleetRegistry, InstanceRow } from '../../registry/fleet-registry.ts';
import { isInZone } from './dns-records.ts';
import { EmbeddedDnsServer, type EmbeddedDnsZone } from './embedded-dns-server.ts';

/** Where an embedded zone is served. */
export interface EmbeddedZoneSettings {
  readonly port: number;
  readonly domain: string;
}

/** A port on which the embedded DNS serves, and the one that was wanted: another program may have that. */
export interface EmbeddedDnsPort {
  readonly wanted: number;
  readonly port: number;
}

/**
 * Serves the embedded zones of all products, in every replica. Their content follows from the instances: it is loaded at
 * the start and follows changes.
 */
export class EmbeddedZones implements AsyncDisposable {
  readonly #registry: FleetRegistry;
  readonly #logger: Logger;
  readonly #servers = new Map<number, Promise<EmbeddedDnsServer>>();
  readonly #zones = new Map<string, EmbeddedDnsZone>();
  readonly #stops: readonly (() => void)[];

  constructor({ registry, logger }: { readonly registry: FleetRegistry; readonly logger: Logger }) {
    this.#registry = registry;
    this.#logger = logger;
    this.#stops = [
      registry.instances.listen(({ type, row, previous }) =>
        this.#follow(
          type === 'removed' ? [] : servedRecords(row),
          previous === undefined ? [] : servedRecords(previous),
        ),
      ),
    ];
  }

  /** Opens a zone; the same one for the same domain and port. Where the port is taken, it is served on a free one. */
  async open({ port, domain }: EmbeddedZoneSettings): Promise<EmbeddedDnsZone> {
    const server = await this.#server(port);
    const key = `${domain}:${port}`;
    const known = this.#zones.get(key);
    if (known !== undefined) return known;
    const zone = server.zone(domain);
    this.#zones.set(key, zone);
    zone.load([...this.#allRecords()].filter(({ name }) => isInZone(name, domain)));
    return zone;
  }

  /** The port on which the zones that were configured for a port are served. */
  async portOf(port: number): Promise<number> {
    return (await this.#server(port)).port;
  }

  /** Where DNS is served. */
  async listening(): Promise<readonly EmbeddedDnsPort[]> {
    const servers = await Promise.allSettled(
      [...this.#servers].map(async ([wanted, server]) => [wanted, await server] as const),
    );
    return servers.flatMap(found =>
      found.status === 'fulfilled' ? [{ wanted: found.value[0], port: found.value[1].port }] : [],
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const stop of this.#stops) stop();
    for (const server of await Promise.allSettled(this.#servers.values()))
      if (server.status === 'fulfilled') await server.value[Symbol.asyncDispose]();
  }

  #server(port: number): Promise<EmbeddedDnsServer> {
    const known = this.#servers.get(port);
    if (known !== undefined) return known;
    const started = EmbeddedDnsServer.start({ port }).catch(async (error: unknown) => {
      if (!isError(error, 'PortTaken')) throw error;
      const server = await EmbeddedDnsServer.start({ port: 0 });
      this.#logger.warn('the port of the DNS server is taken', { port, servedOn: server.port });
      return server;
    });
    this.#servers.set(port, started);
    started.catch(() => this.#servers.delete(port));
    return started;
  }

  #follow(records: readonly DnsRecord[], former: readonly DnsRecord[]): void {
    if (records.length === 0 && former.length === 0) return;
    for (const zone of this.#zones.values()) {
      const { domain } = zone;
      const stays = new Set(records.map(({ name }) => name));
      const within = ({ name }: DnsRecord): boolean => isInZone(name, domain);
      const gone = former.filter(record => within(record) && !stays.has(record.name));
      const there = records.filter(within);
      if (gone.length > 0) void zone.remove(gone).catch(this.#complain);
      if (there.length > 0) void zone.upsert(there).catch(this.#complain);
    }
  }

  readonly #complain = (error: unknown): void => this.#logger.warn('a DNS record cannot be served', { error });

  *#allRecords(): Iterable<DnsRecord> {
    for (const row of this.#registry.instances.all()) yield* servedRecords(row);
  }
}

/** Records of an instance are served once they are made, until it is being deleted. */
const servedRecords = ({ status }: InstanceRow): readonly DnsRecord[] =>
  status.routesCreated && status.state !== 'deleting' ? recordsOf(status) : [];
