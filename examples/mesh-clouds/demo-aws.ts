import { findMoto } from '@chandlery/testing';
import { createAwsApi } from '../../domains/mesh/src/endpoints/clouds/aws/aws-api.ts';
import { createRequestSigner } from '../../domains/mesh/src/endpoints/clouds/aws/sign-aws.ts';
import { createCloudHttp } from '../../domains/mesh/src/endpoints/clouds/cloud-http.ts';
import { at, listOf, textAt } from '../../domains/mesh/src/endpoints/clouds/xml/cloud-xml.ts';
import { createAwsSigner } from '../../domains/mesh/src/joins/test-documents.ts';
import { startMoto } from '../../test/peers/support/moto.ts';
import type { DemoCloud, DemoState } from './demo-cloud.ts';

const region = 'eu-central-1';
const account = '123456789012';
const entries = { accessKeyId: 'AKIATEST', secretAccessKey: 'not-a-secret' };
const queue = { QueueUrl: `https://sqs.${region}.amazonaws.com/${account}/machines` };
const timeoutMs = 30_000;

/** moto, which speaks the protocols of AWS. It is installed by pip with the first start. */
export async function startDemoAws(): Promise<DemoCloud> {
  const found = await findMoto();
  if (found.path === undefined) throw new Error(found.reason);
  const { url } = await startMoto(found.path);
  const sign = createRequestSigner(async () => entries);
  const call = createCloudHttp({ cloud: 'moto' });
  const api = createAwsApi({ call, sign, endpoint: url });
  const ec2 = (action: string, parameters: Readonly<Record<string, string>>) =>
    api({ service: 'ec2', region, action, parameters }, AbortSignal.timeout(timeoutMs));
  const sqs = async (action: string, parameters: object) => {
    const headers = { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': `AmazonSQS.${action}` };
    const request = await sign({
      service: 'sqs',
      region,
      url: new URL(url),
      headers,
      body: JSON.stringify(parameters),
    });
    await call(request, AbortSignal.timeout(timeoutMs));
  };
  await sqs('CreateQueue', { QueueName: 'machines' });
  const signer = await createAwsSigner();
  const identity = JSON.parse(signer.document()) as Readonly<Record<string, string>>;
  const ids = new Map<string, string>();
  const start = async (name: string): Promise<void> => {
    const tags = { 'TagSpecification.1.ResourceType': 'instance', 'TagSpecification.1.Tag.1.Key': 'app' };
    const started = await ec2('RunInstances', {
      ...{ ImageId: 'ami-12c6146b', MinCount: '1', MaxCount: '1', ...tags, 'TagSpecification.1.Tag.1.Value': 'books' },
    });
    const [instance] = listOf(at(started, 'instancesSet', 'item'));
    ids.set(name, textAt(instance, 'instanceId') ?? '');
  };
  const actions: Readonly<Record<Exclude<DemoState, 'draining'>, string>> = {
    ...{ healthy: 'StartInstances', unhealthy: 'StopInstances', gone: 'TerminateInstances' },
  };
  return {
    url,
    secret: { name: 'aws-key', entries },
    settings: { awsIdentityCertificates: { [region]: signer.certificate } },
    set: async (name, state) => {
      if (state === 'draining') throw new Error('the instances of moto stop at once, and never drain');
      const id = ids.get(name);
      if (id === undefined) return start(name);
      await ec2(actions[state], { 'InstanceId.1': id });
      if (state === 'gone') ids.delete(name);
    },
    notify: async () => {
      const event = { version: '0', 'detail-type': 'EC2 Instance State-change Notification', source: 'aws.ec2' };
      await sqs('SendMessage', { ...queue, MessageBody: JSON.stringify({ ...event, account, region }) });
    },
    readMetadata: async ({ method, url: { pathname } }) => {
      if (method === 'PUT' && pathname === '/latest/api/token') return 'session';
      const [, name] = /^\/latest\/dynamic\/instance-identity\/(document|signature)$/.exec(pathname) ?? [];
      return name && identity[name];
    },
  };
}
