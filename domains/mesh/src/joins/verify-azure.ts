import { createHash, X509Certificate } from 'node:crypto';
import { ChandleryError, isJsonObject, parseJson } from '@chandlery/api';
import type { VerifiedMachine } from '../model/joins/verified-machine.ts';
import { readSignedMessage } from './signed-message.ts';

/** Names of the certificates of the metadata service: that of the cloud, and those of its regions. */
const signerName = /^([-a-z0-9*]+\.)*metadata\.azure\.com$/i;

export interface AttestedData {
  /** Signature in base64 (PKCS #7), as the metadata service gives it. */
  readonly document: string;
  /** Of the landscape. */
  readonly audience: string;
  /** Authorities that issue certificates of the metadata service (PEM). */
  readonly authorities: readonly string[];
  readonly now: Date;
}

/** The nonce of attested data has at most ten digits: those of the audience's digest. */
export const azureNonce = (audience: string): string =>
  String(createHash('sha256').update(audience).digest().readUIntBE(0, 6) % 10_000_000_000).padStart(10, '0');

/** Verifies the attested data of a virtual machine. Throws `DocumentInvalid`. */
export function verifyAzure({ document, audience, authorities, now }: AttestedData): VerifiedMachine {
  const trust = (signer: X509Certificate): boolean => isTrusted(signer, authorities, now);
  const { content } = readSignedMessage(Buffer.from(document, 'base64'), trust);
  const data: unknown = parseJson(content.toString());
  if (!isJsonObject(data)) throw invalid('its content is not JSON');
  const { nonce, subscriptionId: account, vmId: id, timeStamp } = data;
  if (nonce !== azureNonce(audience)) throw invalid('it is for another landscape');
  const expiresOn = isJsonObject(timeStamp) ? parseAzureTime(timeStamp['expiresOn']) : Number.NaN;
  if (!(expiresOn > now.getTime())) throw invalid('it has expired');
  if (typeof account !== 'string' || typeof id !== 'string' || id === '') throw invalid('it lacks the machine');
  // Ids of Azure are compared without case.
  return { cloud: 'azure', account: account.toLowerCase(), id: id.toLowerCase() };
}

function isTrusted(signer: X509Certificate, authorities: readonly string[], now: Date): boolean {
  if (!isValidAt(signer, now) || !namesOf(signer).some(name => signerName.test(name))) return false;
  const issuers = authorities.map(pem => new X509Certificate(pem)).filter(issuer => isValidAt(issuer, now));
  return issuers.some(issuer => signer.checkIssued(issuer) && signer.verify(issuer.publicKey));
}

/** DNS names of a certificate; the name of its subject where it has none, as those of Azure had. */
function namesOf(signer: X509Certificate): readonly string[] {
  const { subjectAltName: names, subject } = signer;
  if (names === undefined) return /^CN=(.+)$/m.exec(subject)?.slice(1) ?? [];
  // Names with odd characters are quoted, and could contain the separator.
  if (names.includes('"')) return [];
  return names.split(', ').flatMap(name => (name.startsWith('DNS:') ? [name.slice('DNS:'.length)] : []));
}

const isValidAt = ({ validFrom, validTo }: X509Certificate, now: Date): boolean =>
  Date.parse(validFrom) <= now.getTime() && now.getTime() < Date.parse(validTo);

/** `11/28/18 06:16:17 -0000`, always UTC. */
function parseAzureTime(text: unknown): number {
  if (typeof text !== 'string') return Number.NaN;
  const [, month, day, year, time] = /^(\d\d)\/(\d\d)\/(\d\d) (\d\d:\d\d:\d\d) -0000$/.exec(text) ?? [];
  return time === undefined ? Number.NaN : Date.parse(`20${year}-${month}-${day}T${time}Z`);
}

const invalid = (why: string): ChandleryError =>
  new ChandleryError('DocumentInvalid', `the attested data cannot be used: ${why}`);
