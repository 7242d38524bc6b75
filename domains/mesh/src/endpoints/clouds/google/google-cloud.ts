import { type GoogleResource, googleResources } from '../../../kinds/clouds/google-resource.ts';
import type { Cloud } from '../../../ports/clouds.ts';
import { createCloudHttp } from '../cloud-http.ts';
import type { CloudConnectOptions } from '../cloud-options.ts';
import { createEventHttp } from '../event-message.ts';
import { createJsonApi } from '../json-api.ts';
import { createOAuthToken } from '../oauth-token.ts';
import { googleScopes, googleTokenRequest } from './google-credentials.ts';
import type { GoogleInventory } from './google-inventory.ts';
import { GoogleReader } from './google-reader.ts';
import { PubSubEvents } from './pub-sub-events.ts';
import { resolveGoogle } from './resolve-google.ts';
import { throttledByGoogle } from './throttled-by-google.ts';

type Spec = GoogleResource['spec'];

/** Google Cloud: instances by name and label, instance groups. */
export const createGoogleCloud = ({ endpoint, ...http }: CloudConnectOptions): Cloud<GoogleInventory> => ({
  name: 'google',
  resources: googleResources,
  accountId: ({ google }) => google?.project,
  connect: async ({ account: { google }, secret }) => {
    const test = endpoint && { endpoint };
    const call = createCloudHttp({ ...http, cloud: 'Google' });
    const request = () => googleTokenRequest({ scope: googleScopes.compute, secret, nowMs: Date.now(), ...test });
    const token = createOAuthToken({ cloud: 'Google', call, request });
    const api = createJsonApi({ cloud: 'Google', call, token, throttledSeconds: throttledByGoogle });
    return new GoogleReader({ project: google?.project ?? '', api, ...test });
  },
  eventQueuesOf: ({ google }) =>
    google?.eventSubscription === undefined ? [] : [`google:${google.project}/${google.eventSubscription}`],
  connectEvents: async ({ account: { google }, secret }) => {
    const { project = '', eventSubscription: subscription } = google ?? {};
    if (subscription === undefined) return [];
    const test = endpoint && { endpoint };
    const call = createEventHttp('Google', http);
    const request = () => googleTokenRequest({ scope: googleScopes.events, secret, nowMs: Date.now(), ...test });
    const token = createOAuthToken({ cloud: 'Google', call, request });
    const api = createJsonApi({ cloud: 'Google', call, token });
    return [new PubSubEvents({ project, subscription, api, ...test })];
  },
  demandOf: ({ instanceGroup }: Spec) => instanceGroup ?? null,
  resolve: (spec, inventory) => resolveGoogle(spec, inventory),
  countMachines: ({ instances }) => instances.size,
});
