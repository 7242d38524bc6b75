import { peerRejected } from '../../../port-errors.ts';
import type { DnsRecord } from '../../../ports.ts';
import type { AcmeConnection, AcmeResource } from './acme-connection.ts';

/** A dns-01 challenge that is to be answered. */
export interface DnsChallenge {
  readonly url: string;
  readonly authorisationUrl: string;
  /** Without the star of a wildcard. */
  readonly host: string;
  /** The value of the TXT record. */
  readonly proof: string;
}

const proofTtlSeconds = 60;

/** Returns the challenges of an order whose authorisations are not valid already. */
export async function findChallenges(
  connection: AcmeConnection,
  order: AcmeResource,
): Promise<readonly DnsChallenge[]> {
  const urls = arrayOf(order.body['authorizations']).map(String);
  const authorisations = await Promise.all(urls.map(url => connection.post(url)));
  return authorisations
    .map((authorisation, index) => ({ ...authorisation, url: urls[index] ?? '' }))
    .filter(({ body }) => body['status'] === 'pending')
    .map(authorisation => toChallenge(connection, authorisation));
}

function toChallenge({ key }: AcmeConnection, { url: authorisationUrl, body }: AcmeResource): DnsChallenge {
  const { value: host } = (body['identifier'] ?? {}) as { readonly value?: unknown };
  const challenges = arrayOf(body['challenges']) as readonly { type?: unknown; url?: unknown; token?: unknown }[];
  const challenge = challenges.find(({ type }) => type === 'dns-01');
  if (typeof challenge?.url !== 'string' || typeof challenge.token !== 'string')
    throw peerRejected(`the ACME server offers no dns-01 challenge for ${String(host)}`, 'Choose another server.');
  return { url: challenge.url, authorisationUrl, host: String(host), proof: key.dnsProof(challenge.token) };
}

/** The records that answer challenges. A host and its wildcard are proven by two texts of one name. */
export const proofRecords = (challenges: readonly DnsChallenge[]): readonly DnsRecord[] =>
  challenges.map(({ host, proof }) => ({
    name: `_acme-challenge.${host}`,
    type: 'TXT',
    target: proof,
    ttlSeconds: proofTtlSeconds,
  }));

const arrayOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
