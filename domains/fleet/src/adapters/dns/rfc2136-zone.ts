import { randomInt } from 'node:crypto';
import { type Clock, systemClock } from '@chandlery/platform';
import dnsPacket from 'dns-packet';
import { peerRejected, peerUnavailable } from '../../port-errors.ts';
import type { DnsChange, DnsRecord, DnsZone } from '../../ports.ts';
import { canonicalName, type DnsRecordSet, recordSets } from './dns-records.ts';
import { type DnsServerAddress, exchangeOverTcp } from './exchange-over-tcp.ts';
import { signMessage, type TsigAlgorithm, type TsigKey, tsigAlgorithms, whyNotGenuine } from './tsig.ts';
import { encodeUpdate } from './update-message.ts';

/** How a zone is updated. */
export interface Rfc2136Options {
  /** The domain of the records: a zone of the server, or one below it. */
  readonly domain: string;
  /** Name or address of the zone's primary server. */
  readonly server: string;
  /** Default 53. */
  readonly port?: number;
  readonly keyName: string;
  /** hmac-sha256, hmac-sha384 or hmac-sha512. Default hmac-sha256. */
  readonly keyAlgorithm?: string;
  /** Base64. */
  readonly keySecret: string;
  /** For one exchange. Default 10 000. */
  readonly timeoutMs?: number;
  /** Default: the system's. */
  readonly clock?: Clock;
}

const rcodeNames = [
  'NOERROR',
  'FORMERR',
  'SERVFAIL',
  'NXDOMAIN',
  'NOTIMP',
  'REFUSED',
  'YXDOMAIN',
  'YXRRSET',
  'NXRRSET',
  'NOTAUTH',
  'NOTZONE',
] as const;
const notGenuine = 'a response that is not genuine';
/** What a retry may mend: the server fails, or the response is not the server's. */
const transientAnswers: readonly string[] = ['SERVFAIL', notGenuine];
const maxUpdateBytes = 65_535;

/** A zone that is updated by signed messages (RFC 2136, RFC 8945) over TCP. A change is done when the server has it. */
export class Rfc2136DnsZone implements DnsZone {
  readonly #domain: string;
  readonly #address: DnsServerAddress;
  readonly #key: TsigKey;
  readonly #clock: Clock;
  #zone: Promise<string> | undefined;

  constructor(options: Rfc2136Options) {
    const { domain, server, port = 53, timeoutMs = 10_000, clock = systemClock } = options;
    this.#domain = canonicalName(domain);
    this.#address = { host: server, port, timeoutMs };
    this.#key = keyOf(options);
    this.#clock = clock;
  }

  upsert(records: readonly DnsRecord[]): Promise<DnsChange> {
    return this.#update(() => ({ written: recordSets(records, this.#domain), removed: [] }));
  }

  remove(records: readonly DnsRecord[]): Promise<DnsChange> {
    return this.#update(() => ({ written: [], removed: recordSets(records, this.#domain) }));
  }

  isDone(): Promise<boolean> {
    return Promise.resolve(true);
  }

  async #update(
    plan: () => { readonly written: readonly DnsRecordSet[]; readonly removed: readonly DnsRecordSet[] },
  ): Promise<DnsChange> {
    const { written, removed } = plan();
    const id = randomInt(65_536);
    if (written.length + removed.length === 0) return { id: String(id), done: true };
    const rcode = await this.#send(encodeUpdate({ id, zone: await this.#findZone(), written, removed }));
    if (rcode !== 'NOERROR') {
      this.#zone = undefined;
      throw this.#failure(rcode);
    }
    return { id: String(id), done: true };
  }

  /** Returns the response code of a genuine response. */
  async #send(message: Buffer): Promise<string> {
    const request = signMessage(message, this.#key, this.#clock.now());
    if (request.bytes.length > maxUpdateBytes) throw peerRejected('the DNS update is too long', 'Write fewer records.');
    const response = await exchangeOverTcp(request.bytes, this.#address);
    const rcode = rcodeOf(response);
    const problem =
      response.readUInt16BE(0) === message.readUInt16BE(0) ? this.#problemOf(response, request) : 'its id is wrong';
    if (problem === undefined) return rcode;
    // Servers do not sign when they cannot: they reject the key, or every client.
    throw this.#failure(rcode === 'NOERROR' ? notGenuine : rcode, problem);
  }

  #problemOf(response: Buffer, request: ReturnType<typeof signMessage>): string | undefined {
    try {
      return whyNotGenuine(response, request, this.#key, this.#clock.now());
    } catch (cause) {
      throw peerUnavailable(`the DNS server ${this.#address.host} sent a malformed response`, cause);
    }
  }

  /** The zone of the server that the domain is in: an update has to name it exactly. */
  #findZone(): Promise<string> {
    this.#zone ??= this.#askForZone().catch((error: unknown) => {
      this.#zone = undefined;
      throw error;
    });
    return this.#zone;
  }

  async #askForZone(): Promise<string> {
    const query = dnsPacket.encode({
      type: 'query',
      id: randomInt(65_536),
      questions: [{ name: this.#domain, type: 'SOA' }],
    });
    const response = await exchangeOverTcp(query, this.#address);
    const { answers = [], authorities = [] } = decoded(response);
    const soa = [...answers, ...authorities].find(({ type }) => type === 'SOA');
    if (soa !== undefined) return canonicalName(soa.name);
    throw this.#failure(rcodeOf(response), `it has no zone for ${this.#domain}`);
  }

  #failure(rcode: string, detail = ''): Error {
    const { host, port } = this.#address;
    const message = `the DNS server ${host}:${port} answered ${rcode}${detail === '' ? '' : ` (${detail})`}`;
    const isTransient = transientAnswers.includes(rcode) || detail === 'BADTIME';
    if (isTransient) return peerUnavailable(`cannot update ${this.#domain}: ${message}`);
    return peerRejected(
      `cannot update ${this.#domain}: ${message}`,
      "Check domain, key and the server's update policy.",
    );
  }
}

function decoded(response: Buffer): ReturnType<typeof dnsPacket.decode> {
  try {
    return dnsPacket.decode(response);
  } catch (cause) {
    throw peerUnavailable('the DNS server sent a malformed response', cause);
  }
}

function rcodeOf(response: Buffer): string {
  const rcode = response.length < 12 ? -1 : response.readUInt16BE(2) & 0xf;
  return rcodeNames[rcode] ?? `response code ${rcode}`;
}

function keyOf({ keyName, keyAlgorithm = 'hmac-sha256', keySecret }: Rfc2136Options): TsigKey {
  const algorithm = canonicalName(keyAlgorithm);
  if (!Object.hasOwn(tsigAlgorithms, algorithm))
    throw peerRejected(
      `dns.key_algorithm ${JSON.stringify(keyAlgorithm)} is not supported`,
      `Use one of ${Object.keys(tsigAlgorithms).join(', ')}.`,
    );
  const secret = Buffer.from(keySecret, 'base64');
  if (secret.length === 0) throw peerRejected('dns.key_secret is empty or not base64', 'Copy the secret of the key.');
  return { name: canonicalName(keyName), algorithm: algorithm as TsigAlgorithm, secret };
}
