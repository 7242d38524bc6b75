// Machines of three clouds behind one service of a landscape, set up with the documents of the clouds' pages alone.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { isJsonObject, type KubeObject } from '@chandlery/api';
import { type Client, createClient, type HttpClient, loadKubeconfig } from '@chandlery/client';
import { loadServerConfig, silentLogger } from '@chandlery/platform';
import { startLandscape } from '@chandlery/server';
import { eventually, findMoto, tempFolder, whySkipped } from '@chandlery/testing';
import { parseAllDocuments } from 'yaml';
import { createAwsApi } from '../../domains/mesh/src/endpoints/clouds/aws/aws-api.ts';
import { createRequestSigner } from '../../domains/mesh/src/endpoints/clouds/aws/sign-aws.ts';
import {
  testSecret as azureSecret,
  startTestAzureServer,
} from '../../domains/mesh/src/endpoints/clouds/azure/test-azure-server.ts';
import { createCloudHttp } from '../../domains/mesh/src/endpoints/clouds/cloud-http.ts';
import {
  testKey as googleSecret,
  startTestGoogleServer,
} from '../../domains/mesh/src/endpoints/clouds/google/test-google-server.ts';
import { startMoto } from './support/moto.ts';

const moto = await findMoto();
const awsSecret = { accessKeyId: 'AKIATEST', secretAccessKey: 'not-a-secret' };
const secrets: Readonly<Record<string, object>> = {
  'aws-key': awsSecret,
  'azure-key': azureSecret,
  'google-key': googleSecret,
};

/** The objects of the pages of the clouds; credentials are those of the test servers. */
async function readDocuments(): Promise<readonly KubeObject[]> {
  const pages = await Promise.all(
    ['aws', 'azure', 'google'].map(cloud => readFile(join(import.meta.dirname, `../../docs/mesh-${cloud}.md`), 'utf8')),
  );
  const blocks = pages.map(page => /```yaml\n(.*?)```/s.exec(page)?.[1] ?? '');
  const objects = blocks.flatMap(block => parseAllDocuments(block).map(document => document.toJS() as KubeObject));
  return objects.flatMap(object => {
    const stringData = secrets[object.metadata.name ?? ''];
    if (object.kind === 'Namespace') return [];
    return [object.kind === 'Secret' && stringData ? { ...object, stringData } : object];
  });
}

const plurals: Readonly<Record<string, string>> = {
  Service: 'services',
  ServiceAccount: 'serviceaccounts',
  Secret: 'secrets',
  CloudAccount: 'cloudaccounts',
  AwsResource: 'awsresources',
  AzureResource: 'azureresources',
  GoogleResource: 'googleresources',
};
const refOf = ({ apiVersion, kind, metadata: { name = '' } }: KubeObject) => {
  const [group = '', version = ''] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion];
  return { group, version, plural: plurals[kind] ?? '', namespace: 'shop', name };
};

const mesh = { group: 'mesh.chandlery.io', version: 'v1alpha1' };
const pollEachFiveSeconds = (client: Client, name: string) =>
  client.patch(
    { ...mesh, plural: 'cloudaccounts', namespace: 'shop', name },
    { type: 'merge', body: { spec: { pollSeconds: 5 } } },
  );

async function showEndpoints(client: HttpClient): Promise<{ readonly text: string; readonly isOld: boolean }> {
  const response = await client.raw('/mesh/v1/meshes/onboarding/services/shop/books/endpoints', { isFromRoot: true });
  const shown: unknown = await response.json();
  assert.ok(isJsonObject(shown));
  const endpoints = shown['endpoints'] as unknown as readonly { readonly ip: string; readonly cluster: string }[];
  const text = endpoints.map(({ cluster, ip }) => `${cluster} ${ip}`).sort();
  return { text: text.join(), isOld: JSON.stringify(shown['staleProviders']).includes('endpoint-sets/onboarding') };
}

test('machines of three clouds serve one service, set up by the documentation alone', {
  skip: whySkipped(moto),
}, async () => {
  await using aws = await startMoto(moto.path ?? '');
  await using azure = await startTestAzureServer();
  await using google = await startTestGoogleServer();
  const http = createCloudHttp({ cloud: 'moto' });
  const api = createAwsApi({ call: http, sign: createRequestSigner(async () => awsSecret), endpoint: aws.url });
  const run = { ImageId: 'ami-12c6146b', MinCount: '1', MaxCount: '1', PrivateIpAddress: '172.31.0.77' };
  const tag = { 'TagSpecification.1.ResourceType': 'instance', 'TagSpecification.1.Tag.1.Key': 'app' };
  const parameters = { ...run, ...tag, 'TagSpecification.1.Tag.1.Value': 'books' };
  const region = 'eu-central-1';
  await api({ service: 'ec2', region, action: 'RunInstances', parameters }, AbortSignal.timeout(30_000));
  const machine = { service: 'books', health: 'healthy' as const };
  azure.setMachines('books', [{ ...machine, name: 'books-1', ip: '10.1.0.4', zone: '1' }]);
  google.setMachines('books', [{ ...machine, name: 'books-1', ip: '10.2.0.4', zone: 'europe-west1-b' }]);

  await using folder = await tempFolder();
  const argv = ['--port=0', '--xds-port=0', `--data-dir=${folder.join('.chandlery')}`, '--local-clusters=off'];
  const testEndpoints = { aws: aws.url, azure: azure.url, google: google.url };
  const env = { CHANDLERY_CLOUDS: JSON.stringify({ testEndpoints }) };
  await using landscape = await startLandscape(loadServerConfig({ argv, env }).values, { logger: silentLogger });
  await using client = createClient(loadKubeconfig(landscape.kubeconfigPath));
  const namespaces = { group: '', version: 'v1', plural: 'namespaces' };
  await client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } });
  for (const object of await readDocuments())
    await client.patch(refOf(object), { type: 'apply', body: object, force: true }, { fieldManager: 'reader' });

  const shows = (wanted: readonly string[], isOld = false) =>
    eventually(
      async () => {
        const shown = await showEndpoints(client);
        return shown.text === wanted.join() && shown.isOld === isOld;
      },
      { what: wanted.join(), timeoutMs: 40_000 },
    );
  const [onAws, onAzure, onGoogle] = [
    'aws-aws-prod 172.31.0.77',
    'azure-azure-prod 10.1.0.4',
    'google-google-prod 10.2.0.4',
  ];
  await shows([onAws, onAzure, onGoogle]);

  // A machine is added, a cloud is lost: its endpoints are kept, and said to be old.
  google.setMachines('books', []);
  azure.intercept(() => ({ status: 500, body: {} }));
  await pollEachFiveSeconds(client, 'google-prod');
  await pollEachFiveSeconds(client, 'azure-prod');
  await shows([onAws, onAzure], true);
  azure.intercept(undefined);
  await shows([onAws, onAzure], false);
});
