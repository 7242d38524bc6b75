import { type AzureResource, azureResources } from '../../../kinds/clouds/azure-resource.ts';
import type { Cloud } from '../../../ports/clouds.ts';
import { createCloudHttp } from '../cloud-http.ts';
import type { CloudConnectOptions } from '../cloud-options.ts';
import { createEventHttp } from '../event-message.ts';
import { createJsonApi } from '../json-api.ts';
import { createOAuthToken } from '../oauth-token.ts';
import { azureApis, azureTokenRequest } from './azure-credentials.ts';
import type { AzureInventory } from './azure-inventory.ts';
import { AzureReader } from './azure-reader.ts';
import { resolveAzure } from './resolve-azure.ts';
import { StorageQueueEvents } from './storage-queue-events.ts';

type Spec = AzureResource['spec'];

/** Microsoft Azure: virtual machines and scale sets by resource id and tag. */
export const createAzureCloud = ({ endpoint, ...http }: CloudConnectOptions): Cloud<AzureInventory> => ({
  name: 'azure',
  resources: azureResources,
  accountId: ({ azure }) => azure?.subscriptionId,
  connect: async ({ account: { azure }, secret }) => {
    const { subscriptionId = '', tenantId = '' } = azure ?? {};
    const test = endpoint && { endpoint };
    const call = createCloudHttp({ ...http, cloud: 'Azure' });
    const request = () => azureTokenRequest({ tenantId, secret, api: azureApis.resources, ...test });
    const token = createOAuthToken({ cloud: 'Azure', call, request });
    return new AzureReader({ subscriptionId, api: createJsonApi({ cloud: 'Azure', call, token }), ...test });
  },
  eventQueuesOf: ({ azure }) => {
    const { storageAccount, queue } = azure?.eventQueue ?? {};
    return queue === undefined ? [] : [`azure:${storageAccount}/${queue}`];
  },
  connectEvents: async ({ account: { azure }, secret }) => {
    const { subscriptionId = '', tenantId = '', eventQueue } = azure ?? {};
    if (eventQueue === undefined) return [];
    const test = endpoint && { endpoint };
    const call = createEventHttp('Azure', http);
    const request = () => azureTokenRequest({ tenantId, secret, api: azureApis.storage, ...test });
    const token = createOAuthToken({ cloud: 'Azure', call, request });
    return [new StorageQueueEvents({ ...eventQueue, subscriptionId, call, token, ...test })];
  },
  demandOf: spec => {
    const { ids, tags, address } = spec as Spec;
    const scaleSets = ids?.filter(id => /virtualMachineScaleSets/i.test(id)) ?? [];
    return [scaleSets, tags ?? null, address === 'public'];
  },
  resolve: (spec, inventory) => resolveAzure(spec, inventory),
  countMachines: ({ machines }) => machines.length,
});
