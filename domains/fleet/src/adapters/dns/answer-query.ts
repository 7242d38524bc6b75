import dnsPacket, { type Answer, type DecodedPacket, type OptAnswer, type Question } from 'dns-packet';
import { canonicalName, type DnsRecordSet } from './dns-records.ts';
import type { ZoneTable } from './zone-table.ts';

/** Response codes (RFC 1035, 4.1.1; RFC 6891, 9). */
const rcodes = { noError: 0, formatError: 1, nameError: 3, notImplemented: 4, refused: 5, badVersion: 16 } as const;
type Rcode = (typeof rcodes)[keyof typeof rcodes];

const headerBytes = 12;
const responseBit = 0x80;
const minUdpBytes = 512;
/** Fits into one packet on nearly every path. */
const maxUdpBytes = 1232;
const maxTcpBytes = 65_535;
const opcodeMask = 0x7800;

/** How long resolvers may remember that a name does not exist. Short, because instances come and go. */
const negativeTtlSeconds = 5;
const ownTtlSeconds = 300;
const soaTimes = { refresh: 3600, retry: 600, expire: 86_400, minimum: negativeTtlSeconds };

/** What the answers depend on. */
export interface AnswerDeps {
  /** Returns the zone that a canonical name belongs to. */
  findZone(name: string): ZoneTable | undefined;
  /** The address of the server itself. */
  readonly address: string;
}

/** Returns the response to a query; undefined when there must be none. Never throws. */
export function answerQuery(query: Buffer, transport: 'udp' | 'tcp', deps: AnswerDeps): Buffer | undefined {
  // A response that is answered could be sent back and forth forever.
  if (query.length < headerBytes || (query.readUInt8(2) & responseBit) !== 0) return undefined;
  try {
    return answerDecoded(decodeQuery(query), transport, deps);
  } catch {
    return formatError(query);
  }
}

interface Query {
  readonly packet: DecodedPacket;
  readonly question: Question;
  readonly opt: OptAnswer | undefined;
}

interface Reply {
  readonly rcode: Rcode;
  readonly isAuthoritative?: boolean;
  readonly answers?: readonly Answer[];
  readonly authorities?: readonly Answer[];
}

/** Throws when the query is malformed, or has a name that could not be repeated byte by byte. */
function decodeQuery(bytes: Buffer): Query {
  const packet = dnsPacket.decode(bytes);
  const [question, ...others] = packet.questions ?? [];
  const [opt, ...otherOpts] = (packet.additionals ?? []).filter(({ type }) => type === 'OPT') as OptAnswer[];
  if (question === undefined || others.length > 0 || otherOpts.length > 0) throw new Error('not one question');
  const repeated = dnsPacket.encode({ questions: [question] }).subarray(headerBytes);
  if (!repeated.equals(bytes.subarray(headerBytes, headerBytes + repeated.length))) throw new Error('unusual name');
  return { packet, question, opt };
}

function answerDecoded(query: Query, transport: 'udp' | 'tcp', deps: AnswerDeps): Buffer {
  const limit = transport === 'tcp' ? maxTcpBytes : udpLimit(query.opt);
  const bytes = encodeReply(query, replyTo(query, deps));
  if (bytes.length <= limit) return bytes;
  return encodeReply(query, { rcode: rcodes.noError, isAuthoritative: true }, dnsPacket.TRUNCATED_RESPONSE);
}

const udpLimit = (opt: OptAnswer | undefined): number =>
  Math.min(maxUdpBytes, Math.max(minUdpBytes, opt?.udpPayloadSize ?? minUdpBytes));

function replyTo({ packet, opt, question }: Query, deps: AnswerDeps): Reply {
  if ((opt?.ednsVersion ?? 0) > 0) return { rcode: rcodes.badVersion };
  if (((packet.flags ?? 0) & opcodeMask) !== 0) return { rcode: rcodes.notImplemented };
  const zone = deps.findZone(canonicalName(question.name));
  const isTransfer = question.type === 'AXFR' || question.type === 'IXFR';
  if (zone === undefined || isTransfer || question.class !== 'IN') return { rcode: rcodes.refused };
  return zoneReply(zone, question, deps.address);
}

function zoneReply(zone: ZoneTable, question: Question, address: string): Reply {
  const name = canonicalName(question.name);
  const own = ownRecords(zone, address).filter(record => record.name === name);
  const wanted: string = question.type;
  const matching = own.filter(({ type }) => wanted === 'ANY' || wanted === type);
  const { kind, sets } = zone.find(name, wanted);
  const stored = sets.flatMap(set => toAnswers(set, set.name === name ? question.name : set.name));
  const isFound = kind === 'found' || matching.length > 0;
  return {
    rcode: kind === 'no-name' && own.length === 0 ? rcodes.nameError : rcodes.noError,
    isAuthoritative: true,
    answers: [...matching, ...stored],
    authorities: isFound ? [] : [soaOf(zone)],
  };
}

/** What a zone says of itself. */
const ownRecords = (zone: ZoneTable, address: string): readonly Answer[] => [
  soaOf(zone),
  { type: 'NS', name: zone.domain, ttl: ownTtlSeconds, data: serverNameOf(zone) },
  { type: address.includes(':') ? 'AAAA' : 'A', name: serverNameOf(zone), ttl: ownTtlSeconds, data: address },
];

const soaOf = (zone: ZoneTable): Answer => ({
  type: 'SOA',
  name: zone.domain,
  ttl: negativeTtlSeconds,
  data: { mname: serverNameOf(zone), rname: `hostmaster.${zone.domain}`, serial: zone.serial, ...soaTimes },
});

const serverNameOf = (zone: ZoneTable): string => `ns.${zone.domain}`;

const toAnswers = ({ type, values, ttlSeconds: ttl }: DnsRecordSet, name: string): readonly Answer[] =>
  values.map(data => ({ type, name, ttl, data }));

function encodeReply({ packet, question, opt }: Query, reply: Reply, moreFlags = 0): Buffer {
  const repeated = (packet.flags ?? 0) & (opcodeMask | dnsPacket.RECURSION_DESIRED);
  const authority = reply.isAuthoritative === true ? dnsPacket.AUTHORITATIVE_ANSWER : 0;
  return dnsPacket.encode({
    type: 'response',
    id: packet.id,
    flags: repeated | authority | moreFlags | (reply.rcode & 0xf),
    questions: [question],
    answers: [...(reply.answers ?? [])],
    authorities: [...(reply.authorities ?? [])],
    additionals: opt === undefined ? [] : [optReply(reply.rcode)],
  });
}

const optReply = (rcode: Rcode): OptAnswer => ({
  type: 'OPT',
  name: '.',
  udpPayloadSize: maxUdpBytes,
  extendedRcode: rcode >> 4,
  ednsVersion: 0,
  flags: 0,
  flag_do: false,
  options: [],
});

/** A header alone, for queries whose question cannot be repeated. */
function formatError(query: Buffer): Buffer {
  const header = Buffer.alloc(headerBytes);
  query.copy(header, 0, 0, 2);
  const opcodeAndRecursion = query.readUInt8(2) & 0x79;
  header.writeUInt8(responseBit | opcodeAndRecursion, 2);
  header.writeUInt8(rcodes.formatError, 3);
  return header;
}
