import { type AwsResource, awsResources } from '../../../kinds/clouds/aws-resource.ts';
import type { Cloud, SecretEntries } from '../../../ports/clouds.ts';
import { cloudError } from '../cloud-errors.ts';
import { createCloudHttp } from '../cloud-http.ts';
import type { CloudConnectOptions } from '../cloud-options.ts';
import { createEventHttp } from '../event-message.ts';
import { createAwsApi } from './aws-api.ts';
import type { AwsInventory } from './aws-inventory.ts';
import { AwsReader } from './aws-reader.ts';
import { resolveAws } from './resolve-aws.ts';
import { type AwsCredentials, createRequestSigner, type SignAws } from './sign-aws.ts';
import { SqsEvents } from './sqs-events.ts';

type Spec = AwsResource['spec'];

/** Amazon Web Services: EC2 instances by id and tag, Auto Scaling groups, target groups. */
export const createAwsCloud = ({ endpoint, ...http }: CloudConnectOptions): Cloud<AwsInventory> => ({
  name: 'aws',
  resources: awsResources,
  accountId: ({ aws }) => aws?.accountId,
  connect: async ({ account: { aws }, secret }) => {
    const { accountId = '', regions = [] } = aws ?? {};
    const sign = await signerOf(secret);
    const call = createCloudHttp({ ...http, cloud: 'AWS' });
    return new AwsReader({ accountId, regions, api: createAwsApi({ call, sign, ...(endpoint && { endpoint }) }) });
  },
  eventQueuesOf: ({ aws }) => (aws?.eventQueues ?? []).map(arn => `aws:${arn}`),
  connectEvents: async ({ account: { aws }, secret }) => {
    const { accountId = '', regions = [], eventQueues = [] } = aws ?? {};
    const sign = await signerOf(secret);
    return eventQueues.map(
      arn =>
        new SqsEvents({
          ...{ arn, accountId, regions, sign, call: createEventHttp('AWS', http) },
          ...(endpoint && { endpoint }),
        }),
    );
  },
  demandOf: spec => {
    const { autoScalingGroup, targetGroup } = spec as Spec;
    return [autoScalingGroup ?? null, targetGroup ?? null];
  },
  resolve: (spec, inventory) => resolveAws(spec, inventory),
  countMachines: ({ instances }) => instances.size,
});

const signerOf = async (secret: SecretEntries | undefined): Promise<SignAws> =>
  createRequestSigner(secret === undefined ? await serverCredentials() : keyOf(secret));

function keyOf({ accessKeyId = '', secretAccessKey = '', sessionToken }: SecretEntries): () => Promise<AwsCredentials> {
  if (accessKeyId === '' || secretAccessKey === '') {
    throw cloudError('CloudCredentialsInvalid', 'the Secret has no accessKeyId or no secretAccessKey', {
      hint: 'Write both as entries of the Secret.',
    });
  }
  for (const [name, value] of Object.entries({ accessKeyId, secretAccessKey, sessionToken: sessionToken?.trim() })) {
    // Such as the placeholders of the documentation: they cannot be sent in a header.
    if (value !== undefined && !printableAscii.test(value)) {
      throw cloudError('CloudCredentialsInvalid', `the entry ${name} of the Secret is not a key of AWS`, {
        hint: 'Write the value that AWS shows: letters, digits and + / =, without spaces and line breaks.',
      });
    }
  }
  return async () => ({ accessKeyId, secretAccessKey, sessionToken });
}

const printableAscii = /^[!-~]*$/;

/** The environment, files and metadata service of the server, in the order of the SDK. */
async function serverCredentials(): Promise<() => Promise<AwsCredentials>> {
  const { defaultProvider } = await import('@aws-sdk/credential-provider-node');
  const provide = defaultProvider();
  return () =>
    provide().catch(() => {
      throw cloudError('CloudCredentialsInvalid', 'the server has no credentials of AWS', {
        hint: 'Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY for it, or give the machine a role.',
      });
    });
}
