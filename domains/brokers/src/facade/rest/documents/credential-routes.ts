import type { JsonObject } from '@chandlery/api';
import { smError } from '../../../errors.ts';
import type { PlatformCaller } from '../../../ports.ts';
import type { Call, HttpResponse, Route } from '../transport/route.ts';

/** What platforms do with the credentials by which they call brokers through us. */
export interface CredentialActions {
  readonly put: (caller: PlatformCaller, body: JsonObject, query: URLSearchParams) => Promise<HttpResponse>;
  readonly activate: (caller: PlatformCaller, id: string) => Promise<HttpResponse>;
}

/** `PUT /v1/credentials` and `PUT /v1/credentials/{id}/activate`. */
export const credentialRoutes = ({ put, activate }: CredentialActions): Route[] => [
  {
    method: 'PUT',
    path: '/v1/credentials',
    who: 'platforms',
    document: {
      tag: 'credentials',
      summary: 'Stores the hash of the credentials by which a platform calls a broker',
      parameters: ['force'],
      body: 'credentials',
      responses: { 200: 'object' },
    },
    respond: call => put(platformOf(call), call.body, call.query),
  },
  {
    method: 'PUT',
    path: '/v1/credentials/:id/activate',
    who: 'platforms',
    document: { tag: 'credentials', summary: 'Confirms that credentials are used', responses: { 200: 'object' } },
    respond: call => activate(platformOf(call), call.params['id'] ?? ''),
  },
];

function platformOf({ caller }: Call): PlatformCaller {
  if (caller.type === 'platform') return caller;
  throw smError('Unauthorized', 'only platforms have such credentials');
}
