import type * as Sdk from '@aws-sdk/client-route-53';
import type { Change, ChangeInfo, ResourceRecordSet, Route53Client } from '@aws-sdk/client-route-53';
import { peerRejected } from '../../port-errors.ts';
import type { DnsChange, DnsRecord, DnsZone } from '../../ports.ts';
import { checkEndpoint } from '../endpoint.ts';
import { canonicalName, type DnsRecordSet, isContradicted, recordSets } from './dns-records.ts';
import { hasName, route53Error } from './route53-errors.ts';
import { deleteChange, storedName, upsertChange } from './route53-sets.ts';

/** How a hosted zone of Route 53 is reached. */
export interface Route53Options {
  /** The domain of the records: a hosted zone's, or one below it. */
  readonly domain: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Default: that of AWS. */
  readonly endpoint?: string;
  /** For one call with its retries. Default 30 000. */
  readonly timeoutMs?: number;
}

const defaultTimeoutMs = 30_000;
const connectionTimeoutMs = 5000;
/** A set that changes between reading and removing it is read again. */
const maxAttempts = 3;
/** Route 53 is one global service whose requests are signed for this region. */
const region = 'us-east-1';

/** A hosted zone of Amazon Route 53. A batch is atomic; it is done when its change is INSYNC. */
export class Route53DnsZone implements DnsZone, Disposable {
  readonly #domain: string;
  readonly #sdk: typeof Sdk;
  readonly #client: Route53Client;
  readonly #timeoutMs: number;
  #zoneId: Promise<string> | undefined;

  private constructor(
    sdk: typeof Sdk,
    { domain, endpoint, timeoutMs = defaultTimeoutMs, ...credentials }: Route53Options,
  ) {
    this.#domain = canonicalName(domain);
    this.#sdk = sdk;
    this.#timeoutMs = timeoutMs;
    this.#client = new sdk.Route53Client({
      region,
      credentials,
      requestHandler: {
        connectionTimeout: connectionTimeoutMs,
        requestTimeout: timeoutMs,
        throwOnRequestTimeout: true,
      },
      ...(endpoint === undefined ? {} : { endpoint: checkEndpoint(endpoint, 'dns.endpoint').href }),
    });
  }

  /** Loads the SDK, which costs a noticeable time, only where it is used. Makes no calls. */
  static async open(options: Route53Options): Promise<Route53DnsZone> {
    return new Route53DnsZone(await import('@aws-sdk/client-route-53'), options);
  }

  async upsert(records: readonly DnsRecord[]): Promise<DnsChange> {
    const sets = recordSets(records, this.#domain);
    return this.#retryBatch('write DNS records', async attempt => {
      // Reading costs a call for each name, and calls are limited to a few per second: only after a contradiction.
      const stored =
        attempt === 1 ? [] : await this.#storedSets(sets, (old, set) => isContradicted(typeOf(old), set.type));
      return [...stored.map(deleteChange), ...sets.map(upsertChange)];
    });
  }

  async remove(records: readonly DnsRecord[]): Promise<DnsChange> {
    const sets = recordSets(records, this.#domain);
    return this.#retryBatch('remove DNS records', async () => {
      const stored = await this.#storedSets(sets, (old, set) => typeOf(old) === set.type);
      return stored.map(deleteChange);
    });
  }

  async isDone(changeId: string): Promise<boolean> {
    try {
      const command = new this.#sdk.GetChangeCommand({ Id: changeId });
      const { ChangeInfo: info } = await this.#client.send(command, this.#limits());
      return info?.Status === 'INSYNC';
    } catch (error) {
      if (hasName(error, 'NoSuchChange')) return true;
      throw route53Error(error, `read the DNS change ${changeId}`);
    }
  }

  async #retryBatch(doing: string, plan: (attempt: number) => Promise<readonly Change[]>): Promise<DnsChange> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#submit(await plan(attempt));
      } catch (error) {
        if (hasName(error, 'NoSuchHostedZone')) this.#zoneId = undefined;
        if (!hasName(error, 'InvalidChangeBatch') || attempt === maxAttempts) throw route53Error(error, doing);
      }
    }
  }

  async #submit(changes: readonly Change[]): Promise<DnsChange> {
    if (changes.length === 0) return { id: 'none', done: true };
    const command = new this.#sdk.ChangeResourceRecordSetsCommand({
      HostedZoneId: await this.#hostedZone(),
      ChangeBatch: { Changes: [...changes] },
    });
    return toChange((await this.#client.send(command, this.#limits())).ChangeInfo);
  }

  /** The stored sets of the names that match one of the sets. */
  async #storedSets(
    sets: readonly DnsRecordSet[],
    isMatch: (stored: ResourceRecordSet, set: DnsRecordSet) => boolean,
  ): Promise<readonly ResourceRecordSet[]> {
    const found: ResourceRecordSet[] = [];
    for (const [name, own] of Map.groupBy(sets, set => set.name)) {
      const stored = await this.#setsOfName(name);
      found.push(...stored.filter(old => own.some(set => isMatch(old, set))));
    }
    return found;
  }

  async #setsOfName(name: string): Promise<readonly ResourceRecordSet[]> {
    const HostedZoneId = await this.#hostedZone();
    // Sets are listed in the order of names and types: those of the name come first. A name has few types.
    const command = new this.#sdk.ListResourceRecordSetsCommand({ HostedZoneId, StartRecordName: name, MaxItems: 20 });
    const { ResourceRecordSets: sets = [] } = await this.#client.send(command, this.#limits());
    return sets.filter(set => storedName(set) === name);
  }

  #hostedZone(): Promise<string> {
    this.#zoneId ??= this.#findHostedZone().catch((error: unknown) => {
      this.#zoneId = undefined;
      throw error;
    });
    return this.#zoneId;
  }

  /** The public hosted zone with the longest name that the domain ends with. */
  async #findHostedZone(): Promise<string> {
    for (let name = this.#domain; name.includes('.'); name = name.slice(name.indexOf('.') + 1)) {
      const command = new this.#sdk.ListHostedZonesByNameCommand({ DNSName: name, MaxItems: 10 });
      const { HostedZones: zones = [] } = await this.#client.send(command, this.#limits());
      const zone = zones.find(({ Name = '', Config }) => canonicalName(Name) === name && Config?.PrivateZone !== true);
      if (zone?.Id !== undefined) return zone.Id.replace('/hostedzone/', '');
    }
    throw peerRejected(`Route 53 has no hosted zone for ${this.#domain}`, 'Create the zone, or correct dns.domain.');
  }

  #limits(): { readonly abortSignal: AbortSignal } {
    return { abortSignal: AbortSignal.timeout(this.#timeoutMs) };
  }

  [Symbol.dispose](): void {
    this.#client.destroy();
  }
}

const typeOf = (set: ResourceRecordSet) => (set.Type ?? '') as DnsRecordSet['type'];

const toChange = (info: ChangeInfo | undefined): DnsChange => ({
  id: (info?.Id ?? '').replace('/change/', ''),
  done: info?.Status === 'INSYNC',
});
