import type { JsonObject } from '@chandlery/api';

/** The value of `X-Broker-API-Originating-Identity`: the platform's name and who caused the request. */
export const originatingIdentity = (platform: string, object: JsonObject): string =>
  `${platform} ${Buffer.from(JSON.stringify(object)).toString('base64')}`;
