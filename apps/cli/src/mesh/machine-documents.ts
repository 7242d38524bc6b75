import { ChandleryError, toError } from '@chandlery/api';
import { loadMesh } from './mesh-module.ts';

/** A machine's metadata service, on all clouds. */
export const metadataAddress = 'http://169.254.169.254';

export const joinClouds = ['aws', 'azure', 'google'] as const;
export type JoinCloud = (typeof joinClouds)[number];

export interface DocumentRequest {
  /** Of the landscape, for documents that name one. */
  readonly audience: string;
  /** Address of the metadata service. */
  readonly metadataUrl: string;
  readonly signal: AbortSignal;
}

/** Reads the signed identity document of this machine. Rejects with `MetadataUnavailable`. */
export function readDocument(cloud: JoinCloud, request: DocumentRequest): Promise<string> {
  switch (cloud) {
    case 'aws':
      return readAwsDocument(request);
    case 'azure':
      return readAzureDocument(request);
    case 'google':
      return readGoogleDocument(request);
  }
}

/** The document and its signature, with a session of the metadata service (IMDSv2). */
async function readAwsDocument(request: DocumentRequest): Promise<string> {
  const seconds = { 'x-aws-ec2-metadata-token-ttl-seconds': '60' };
  const session = await ask('/latest/api/token', request, { method: 'PUT', headers: seconds });
  const headers = { 'x-aws-ec2-metadata-token': session };
  const [document, signature] = await Promise.all(
    ['document', 'signature'].map(name => ask(`/latest/dynamic/instance-identity/${name}`, request, { headers })),
  );
  return JSON.stringify({ document, signature: signature?.replaceAll('\n', '') });
}

/** Attested data with a nonce of the landscape. */
async function readAzureDocument(request: DocumentRequest): Promise<string> {
  const { azureNonce } = await loadMesh();
  const query = new URLSearchParams({ 'api-version': '2020-09-01', nonce: azureNonce(request.audience) });
  const answer = await ask(`/metadata/attested/document?${query}`, request, { headers: { metadata: 'true' } });
  const { signature } = (JSON.parse(answer) ?? {}) as { readonly signature?: unknown };
  if (typeof signature === 'string') return signature;
  throw unavailable(request.metadataUrl, 'its document has no signature');
}

const readGoogleDocument = (request: DocumentRequest): Promise<string> => {
  const query = new URLSearchParams({ audience: request.audience, format: 'full' });
  const path = `/computeMetadata/v1/instance/service-accounts/default/identity?${query}`;
  return ask(path, request, { headers: { 'metadata-flavor': 'Google' } });
};

const timeoutMs = 5000;

async function ask(path: string, { metadataUrl, signal }: DocumentRequest, init: RequestInit): Promise<string> {
  const limits = { redirect: 'error', signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]) } as const;
  const response = await fetch(new URL(path, metadataUrl), { ...init, ...limits }).catch((thrown: unknown) => {
    signal.throwIfAborted();
    throw unavailable(metadataUrl, toError(thrown).message);
  });
  if (!response.ok) throw unavailable(metadataUrl, `it answered ${response.status}`);
  return response.text();
}

const unavailable = (address: string, why: string): ChandleryError =>
  new ChandleryError('MetadataUnavailable', `cannot read the identity of this machine from ${address}: ${why}`, {
    hint: 'Run this on a machine of the cloud that --cloud names, with its metadata service enabled.',
  });
