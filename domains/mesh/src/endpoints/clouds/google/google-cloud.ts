import { type GoogleResource, googleResources } from '../../../kinds/clouds/google-resource.ts';
import type { Cloud } from '../../../ports/clouds.ts';
import { createCloudHttp } from '../cloud-http.ts';
import type { CloudConnectOptions } from '../cloud-options.ts';
import { createJsonApi } from '../json-api.ts';
import { createOAuthToken } from '../oauth-token.ts';
import { googleTokenRequest } from './google-credentials.ts';
import type { GoogleInventory } from './google-inventory.ts';
import { GoogleReader } from './google-reader.ts';
import { resolveGoogle } from './resolve-google.ts';

type Spec = GoogleResource['spec'];

/** Google Cloud: instances by name and label, instance groups. */
export const createGoogleCloud = ({ endpoint, ...http }: CloudConnectOptions): Cloud<GoogleInventory> => ({
  name: 'google',
  resources: googleResources,
  accountId: ({ google }) => google?.project,
  connect: async ({ account: { google }, secret }) => {
    const test = endpoint && { endpoint };
    const call = createCloudHttp({ ...http, cloud: 'Google' });
    const request = () => googleTokenRequest({ secret, nowMs: Date.now(), ...test });
    const token = createOAuthToken({ cloud: 'Google', call, request });
    const api = createJsonApi({ cloud: 'Google', call, token });
    return new GoogleReader({ project: google?.project ?? '', api, ...test });
  },
  demandOf: ({ instanceGroup }: Spec) => instanceGroup ?? null,
  resolve: (spec, inventory) => resolveGoogle(spec, inventory),
  countMachines: ({ instances }) => instances.size,
});
