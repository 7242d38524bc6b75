import { type AzureResource, azureResources } from '../../../kinds/clouds/azure-resource.ts';
import type { Cloud } from '../../../ports/clouds.ts';
import { createCloudHttp } from '../cloud-http.ts';
import type { CloudConnectOptions } from '../cloud-options.ts';
import { createJsonApi } from '../json-api.ts';
import { createOAuthToken } from '../oauth-token.ts';
import { azureTokenRequest } from './azure-credentials.ts';
import type { AzureInventory } from './azure-inventory.ts';
import { AzureReader } from './azure-reader.ts';
import { resolveAzure } from './resolve-azure.ts';

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
    const request = () => azureTokenRequest({ tenantId, secret, ...test });
    const token = createOAuthToken({ cloud: 'Azure', call, request });
    return new AzureReader({ subscriptionId, api: createJsonApi({ cloud: 'Azure', call, token }), ...test });
  },
  demandOf: spec => {
    const { ids, tags, address } = spec as Spec;
    const scaleSets = ids?.filter(id => /virtualMachineScaleSets/i.test(id)) ?? [];
    return [scaleSets, tags ?? null, address === 'public'];
  },
  resolve: (spec, inventory) => resolveAzure(spec, inventory),
  countMachines: ({ machines }) => machines.length,
});
