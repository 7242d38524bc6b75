import { generateKeyPairSync, sign, X509Certificate } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import {
  explicitContext,
  objectIdentifier,
  octetString,
  readElements,
  sequence,
  setOf,
  unsignedInteger,
} from '@chandlery/platform';
import { runProcess, tempFolder } from '@chandlery/testing';
import { startTestHttpServer, type TestRequest, type TestResponse } from '../endpoints/clouds/test-http-server.ts';
import { type JoinStatement, joinProofText } from '../model/joins/join-proof.ts';

/** A machine's key, and the requests that it makes with it. */
export function createJoiner() {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return {
    request: (statement: JoinStatement, more: object = {}) => {
      const { place: _, ...rest } = statement;
      const proof = sign('sha256', joinProofText(statement), privateKey).toString('base64');
      return { ...rest, publicKey: publicKey.export({ type: 'spki', format: 'pem' }), proof, ...more };
    },
  };
}

/** Issues identity tokens as Google does. */
export function createTestIssuer() {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const other = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'k1', alg: 'RS256', use: 'sig' };
  const machine = {
    project_id: 'shop-prod',
    zone: 'europe-west1-b',
    instance_id: '4711',
    instance_name: 'books-1',
    instance_creation_timestamp: 1,
  };
  return {
    /** Where the keys are, and the keys; undefined for other paths. */
    respond: ({ url }: Pick<TestRequest, 'url'>): TestResponse | undefined => {
      if (url.pathname === '/keys') return { body: { keys: [jwk] } };
      if (url.pathname !== '/.well-known/openid-configuration') return undefined;
      return { body: { issuer: url.origin, jwks_uri: `${url.origin}/keys` } };
    },
    /** A token of a machine; `claims` replace its own, `isForged`: signed by another key. */
    token: (
      { issuer, audience }: { readonly issuer: string; readonly audience: string },
      more: { readonly machine?: object; readonly isForged?: boolean; readonly claims?: object } = {},
    ) => {
      const now = Math.floor(Date.now() / 1000);
      const google = { compute_engine: { ...machine, ...more.machine } };
      const claims = { iss: issuer, aud: audience, iat: now, exp: now + 3600, sub: '1', google, ...more.claims };
      const parts = [{ alg: 'RS256', typ: 'JWT', kid: 'k1' }, claims];
      const content = parts.map(part => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
      const key = more.isForged ? other.privateKey : privateKey;
      return `${content}.${sign('RSA-SHA256', Buffer.from(content), key).toString('base64url')}`;
    },
  };
}

/** A server that issues identity tokens as Google does. */
export async function startTestIssuer() {
  const issuer = createTestIssuer();
  const server = await startTestHttpServer(request => issuer.respond(request) ?? { status: 404, body: {} });
  return {
    ...server,
    token: (audience: string, more?: Parameters<typeof issuer.token>[1]) =>
      issuer.token({ issuer: server.url, audience }, more),
  };
}

const at = (ms: number): string => {
  const [date = '', time = ''] = new Date(ms).toISOString().split('T');
  const [year = '', month, day] = date.split('-');
  return `${month}/${day}/${year.slice(2)} ${time.slice(0, 8)} -0000`;
};

const algorithm = (oid: string): Buffer => sequence(objectIdentifier(oid), Buffer.from([0x05, 0x00]));
const versionOne = unsignedInteger(Buffer.from([1]));

/** RSA with SHA-256: Azure names it as the algorithm of the digest. */
const azureDigest = '1.2.840.113549.1.1.11';

interface Signer {
  /** PEM. */
  readonly certificate: string;
  /** PEM. */
  readonly key: string;
}

/** A signed message as Azure makes it: without attributes. */
function signAsAzure(content: Buffer, { certificate, key }: Signer, digest = azureDigest): Buffer {
  const { raw } = new X509Certificate(certificate);
  const [toBeSigned] = readElements(readElements(raw)[0]?.contents ?? Buffer.alloc(0));
  // (version, serial number, algorithm, issuer, …)
  const [, serial, , issuer] = readElements(toBeSigned?.contents ?? Buffer.alloc(0)).map(element => element.raw);
  const data = sequence(objectIdentifier('1.2.840.113549.1.7.1'), explicitContext(0, octetString(content)));
  const signerName = sequence(issuer ?? Buffer.alloc(0), serial ?? Buffer.alloc(0));
  const signature = [algorithm('1.2.840.113549.1.1.1'), octetString(sign('sha256', content, key))];
  const signerInfo = sequence(versionOne, signerName, algorithm(digest), ...signature);
  const parts = [versionOne, setOf(algorithm(digest)), data, explicitContext(0, raw), setOf(signerInfo)];
  return sequence(objectIdentifier('1.2.840.113549.1.7.2'), explicitContext(0, sequence(...parts)));
}

interface AzureSignerOptions {
  /** Of the certificate's subject. Default `metadata`. */
  readonly commonName?: string;
  /** DNS name of the certificate. Default: that of a region; undefined: none. */
  readonly dnsName?: string | undefined;
}

interface AttestedDataOptions {
  readonly subscriptionId?: string;
  /** Default an hour. */
  readonly lifeMs?: number;
  /** Whether openssl signs it, with attributes. Default: as Azure does. */
  readonly hasAttributes?: boolean;
  /** Object identifier that names the algorithm of the digest. Default: as Azure does. */
  readonly digest?: string;
}

/** A signer of attested data as that of Azure, with the authority that issued its certificate. */
export async function createAzureSigner(options: AzureSignerOptions = {}) {
  const { commonName = 'metadata', dnsName } = { dnsName: 'westeurope.metadata.azure.com', ...options };
  const folder = await tempFolder();
  const openssl = async (...args: readonly string[]): Promise<void> => {
    const { code, stderr } = await runProcess('openssl', args, { cwd: folder.path });
    if (code !== 0) throw new Error(stderr);
  };
  const newKey = ['-newkey', 'rsa:2048', '-nodes'];
  await openssl('req', '-x509', ...newKey, '-keyout', 'ca.key', '-out', 'ca.pem', '-subj', '/CN=issuing', '-days', '2');
  const names = dnsName === undefined ? [] : ['-addext', `subjectAltName=DNS:${dnsName}`];
  const request = ['-subj', `/CN=${commonName}`, ...names];
  const issue = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-days', '2'];
  await openssl('req', '-x509', ...newKey, '-keyout', 'leaf.key', '-out', 'leaf.pem', ...request, ...issue);
  return {
    authority: await readFile(folder.join('ca.pem'), 'utf8'),
    document: async (nonce: string | undefined, more: AttestedDataOptions = {}) => {
      const { subscriptionId = '11111111-2222-3333-4444-555555555555', lifeMs = 3_600_000, digest } = more;
      const timeStamp = { createdOn: at(Date.now()), expiresOn: at(Date.now() + lifeMs) };
      const vmId = '13f56399-bd52-4150-9748-7190aae1ff21';
      const data = JSON.stringify({ nonce, subscriptionId, vmId, timeStamp });
      if (more.hasAttributes !== true) {
        const certificate = await readFile(folder.join('leaf.pem'), 'utf8');
        const signer = { certificate, key: await readFile(folder.join('leaf.key'), 'utf8') };
        return signAsAzure(Buffer.from(data), signer, digest).toString('base64');
      }
      await writeFile(folder.join('data.json'), data);
      const files = ['-in', 'data.json', '-signer', 'leaf.pem', '-inkey', 'leaf.key', '-out', 'signed.der'];
      await openssl('cms', '-sign', '-binary', '-nodetach', '-md', 'sha256', '-outform', 'DER', ...files);
      return (await readFile(folder.join('signed.der'))).toString('base64');
    },
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

/** A signer of instance identity documents as those of AWS. */
export async function createAwsSigner() {
  await using folder = await tempFolder();
  const [key, cert] = [folder.join('key.pem'), folder.join('cert.pem')];
  const subject = ['-subj', '/CN=aws', '-days', '2', '-nodes'];
  const { code, stderr } = await runProcess('openssl', [
    ...['req', '-x509', '-newkey', 'rsa:2048', '-keyout', key, '-out', cert],
    ...subject,
  ]);
  if (code !== 0) throw new Error(stderr);
  const privateKey = await readFile(key, 'utf8');
  return {
    certificate: await readFile(cert, 'utf8'),
    document: (more: object = {}): string => {
      const document = JSON.stringify({
        ...{ accountId: '123456789012', instanceId: 'i-0123456789abcdef0', region: 'eu-central-1' },
        ...{ availabilityZone: 'eu-central-1a', pendingTime: new Date().toISOString(), version: '2017-09-30' },
        ...more,
      });
      return JSON.stringify({
        document,
        signature: sign('RSA-SHA256', Buffer.from(document), privateKey).toString('base64'),
      });
    },
  };
}
