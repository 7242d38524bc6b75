import { verify, X509Certificate } from 'node:crypto';
import { ChandleryError, isJsonObject } from '@chandlery/api';
import { type ClaimsVerifier, createClaimsVerifier } from '@chandlery/platform';
import type { VerifiedMachine } from '../model/joins/verified-machine.ts';
import { verifyAzure } from './verify-azure.ts';

export interface DocumentVerifierOptions {
  /** Certificates that sign the documents of AWS (PEM), by region. Default none: machines of AWS cannot join. */
  readonly awsCertificates: Readonly<Record<string, string>>;
  /** Authorities that issue the certificates of Azure's metadata service (PEM). Default none: its machines cannot join. */
  readonly azureAuthorities: readonly string[];
  /** Issuer of the identity tokens of Google. Default: Google. */
  readonly googleIssuer?: string;
}

/** For whom, and when, a document must be valid. */
export interface DocumentUse {
  /** Of the landscape, in documents that name one. */
  readonly audience: string;
  readonly now: Date;
}

/** Verifies the identity documents of machines. */
export interface DocumentVerifier {
  /** Rejects with `DocumentInvalid`, or an error of the token. */
  verify(cloud: string, document: string, use: DocumentUse): Promise<VerifiedMachine>;
}

const defaultIssuer = 'https://accounts.google.com';
export function createDocumentVerifier(options: DocumentVerifierOptions): DocumentVerifier {
  const { awsCertificates, azureAuthorities: authorities, googleIssuer: issuer = defaultIssuer } = options;
  // A landscape has one audience; the verifier keeps the keys of the issuer.
  let verifier: ClaimsVerifier | undefined;
  return {
    verify: async (cloud, document, { audience, now }) => {
      if (cloud === 'aws') return verifyAws(document, awsCertificates);
      if (cloud === 'azure') return verifyAzure({ document, audience, authorities, now });
      if (cloud === 'google') {
        verifier ??= createClaimsVerifier({ issuer, audiences: [audience], algorithms: ['RS256'] });
        return machineOfClaims(await verifier.verify(document));
      }
      throw invalid(`"${cloud}" signs no documents that are known here`);
    },
  };
}

/** An instance identity token in the format `full`. Tokens of service accounts without a machine have no such claims. */
function machineOfClaims(claims: Readonly<Record<string, unknown>>): VerifiedMachine {
  const { google } = claims;
  const machine = isJsonObject(google) ? google['compute_engine'] : undefined;
  if (!isJsonObject(machine)) throw invalid('the token is not that of a machine; request it with format=full');
  const {
    project_id: account,
    instance_id: id,
    instance_name: name,
    zone,
    instance_creation_timestamp: created,
  } = machine;
  if (![account, id, name, zone].every(value => typeof value === 'string' && value !== ''))
    throw invalid('the token lacks project, zone, name or id of the machine');
  const texts = { account, id, name, zone } as Readonly<Record<'account' | 'id' | 'name' | 'zone', string>>;
  return { cloud: 'google', ...texts, launchedAt: new Date(Number(created) * 1000) };
}

const accountPattern = /^[0-9]{12}$/;
const instancePattern = /^i-[0-9a-f]{8,17}$/;

/** JSON of the document and its signature, in base64, as the metadata service gives them. */
function verifyAws(text: string, certificates: Readonly<Record<string, string>>): VerifiedMachine {
  const { document, signature } = parseObject(text);
  if (typeof document !== 'string' || typeof signature !== 'string') throw invalid('document or signature is missing');
  const { region, accountId: account, instanceId: id, availabilityZone: zone, pendingTime } = parseObject(document);
  if (typeof region !== 'string' || !Object.hasOwn(certificates, region))
    throw invalid(`there is no certificate of AWS for the region "${String(region)}"`);
  const key = new X509Certificate(certificates[region] ?? '').publicKey;
  if (key.asymmetricKeyType !== 'rsa')
    throw invalid(`the certificate of AWS for the region "${region}" is not for RSA`);
  if (!verify('RSA-SHA256', Buffer.from(document), key, Buffer.from(signature, 'base64')))
    throw invalid('AWS has not signed this document');
  if (typeof account !== 'string' || !accountPattern.test(account)) throw invalid('it lacks the account');
  if (typeof id !== 'string' || !instancePattern.test(id)) throw invalid('it lacks the instance');
  return {
    ...{ cloud: 'aws', account, id, region },
    ...(typeof zone === 'string' && { zone }),
    ...(typeof pendingTime === 'string' && { launchedAt: new Date(pendingTime) }),
  };
}

function parseObject(text: string): Readonly<Record<string, unknown>> {
  try {
    const parsed: unknown = JSON.parse(text);
    if (isJsonObject(parsed)) return parsed;
  } catch {
    // Reported below.
  }
  throw invalid('the document is not JSON');
}

const invalid = (message: string): ChandleryError => new ChandleryError('DocumentInvalid', message);
