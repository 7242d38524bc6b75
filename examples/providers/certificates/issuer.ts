// The shared domain service: one process on the workload cluster, which issues certificates for all tenants' copies.
import { ChandleryError } from '@chandlery/api';
import { type Client, createClient } from '@chandlery/client';
import {
  type CertificateAuthority,
  createCertificateAuthority,
  issueCertificate,
  loadCertificateAuthority,
} from '@chandlery/platform';
import {
  apply,
  controllerKeys,
  createController,
  type Informer,
  SharedInformers,
  type StepContext,
  type StepResult,
  setCondition,
  setController,
} from '@chandlery/runtime';
import {
  connectionFromEnvironment,
  decodeSecret,
  encodeSecret,
  isError,
  type KubeObject,
  untilStopped,
} from '@chandlery/sdk';
import { type FoundPair, type GoodCertificate, judgeCertificate, lifeMs } from './judge-certificate.ts';
import { type Certificate, certificates, copiedSecretName, issuerNamespace } from './kinds.ts';

interface Secret extends KubeObject {
  data?: Record<string, string>;
}

interface Deps {
  readonly authority: CertificateAuthority;
  readonly secrets: Informer<Secret>;
  readonly apply: (object: KubeObject) => Promise<unknown>;
}

const secretsRef = { group: '', version: 'v1', plural: 'secrets' };
const name = 'certificate-issuer';
/** Timers of weeks overflow: looking in between costs nothing. */
const longestWaitMs = 24 * 60 * 60 * 1000;

function pairIn(data?: Record<string, string>): FoundPair {
  const texts = decodeSecret(data);
  return {
    certificatePem: texts['tls.crt'] ?? '',
    privateKeyPem: texts['tls.key'] ?? '',
    authorityPem: texts['ca.crt'] ?? '',
  };
}

async function ensureSecret(object: Certificate, deps: Deps, { now }: StepContext): Promise<StepResult> {
  const { namespace = '' } = object.metadata;
  const judge = (found: FoundPair): GoodCertificate | undefined =>
    judgeCertificate(found, object.spec, { authorityPem: deps.authority.certificatePem, now });
  const kept = judge(pairIn(deps.secrets.get(namespace, copiedSecretName(object))?.data));
  const good = kept ?? judge(await issue(object, deps, now));
  if (good === undefined) throw new ChandleryError('InternalError', 'the certificate that was issued is not good');
  const { certificate, renewAt } = good;
  object.status = {
    ...object.status,
    serialNumber: certificate.serialNumber,
    notAfter: certificate.validToDate.toISOString().replace(/\.\d+Z$/, 'Z'),
  };
  setCondition(object, { type: 'Ready', status: 'True', reason: 'Issued' }, now);
  return { retryAfterMs: Math.min(renewAt.getTime() - now.getTime(), longestWaitMs) };
}

async function issue(object: Certificate, { authority, apply: write }: Deps, now: Date): Promise<FoundPair> {
  const { dnsNames } = object.spec;
  const issued = issueCertificate(authority, {
    dnsNames,
    usages: ['server', 'client'],
    now,
    notAfter: new Date(now.getTime() + lifeMs(object.spec)),
  });
  const { namespace = '' } = object.metadata;
  const secret: Secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'kubernetes.io/tls',
    metadata: { name: copiedSecretName(object), namespace },
    data: encodeSecret({
      'tls.crt': issued.certificatePem,
      'tls.key': issued.privateKeyPem,
      'ca.crt': authority.certificatePem,
    }),
  };
  setController(secret, object);
  await write(secret);
  return { ...issued, authorityPem: authority.certificatePem };
}

/** The authority, made on the first start and kept in a Secret. */
async function openAuthority(client: Client): Promise<CertificateAuthority> {
  const ref = { ...secretsRef, namespace: issuerNamespace, name: 'authority' };
  try {
    const { certificatePem, privateKeyPem } = pairIn((await client.get<Secret>(ref)).data);
    return loadCertificateAuthority(certificatePem, privateKeyPem);
  } catch (error) {
    if (!isError(error, 'NotFound')) throw error;
  }
  const authority = createCertificateAuthority({ commonName: 'Certificates of this landscape', now: new Date() });
  const data = encodeSecret({ 'tls.crt': authority.certificatePem, 'tls.key': authority.privateKeyPem });
  const { name: _, ...collection } = ref;
  await client
    .create(collection, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'authority' },
      type: 'kubernetes.io/tls',
      data,
    })
    .catch((error: unknown) => {
      // Another process was faster: its authority counts.
      if (!isError(error, 'AlreadyExists')) throw error;
    });
  return openAuthority(client);
}

await using client = createClient(connectionFromEnvironment(process.env));
await using informers = new SharedInformers();
const authority = await openAuthority(client);
const secrets = informers.informer<Secret>({ client, ref: secretsRef });
await using controller = createController<Certificate, Deps>({
  name,
  client,
  for: { ref: certificates.ref, informer: informers.informer<Certificate>({ client, ref: certificates.ref }) },
  owns: [
    {
      informer: secrets,
      mapToKeys: secret => controllerKeys(secret, { group: certificates.group, kind: 'Certificate' }),
    },
  ],
  needs: { authority, secrets, apply: object => apply(client, name, [{ plural: 'secrets', object }]) },
  steps: [ensureSecret],
  tenantOf: key => key.split('/')[0] ?? '',
  concurrency: 4,
});
controller.start();
console.log('issuing certificates');
await untilStopped();
