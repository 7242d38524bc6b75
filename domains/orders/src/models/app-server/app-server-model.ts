import type { JsonObject } from '@chandlery/api';
import type { Json } from '../../model/bodies/body-fields.ts';
import { checkSiteHost } from '../../model/sites/check-host.ts';
import { readSite } from '../../model/sites/read-site.ts';

/** The JSON Schema of the controller, besides its `$schema`. Further keys are allowed. */
const jsonSchema: JsonObject = {
  type: 'object',
  properties: {
    host: { type: 'string', minLength: 1 },
    artifact: { type: 'string', minLength: 1 },
    '404': { type: 'string', minLength: 1 },
  },
  required: ['host', 'artifact'],
};

/** Files of an archive, served under a host name. What needs the records is checked by `actions/services/verify-site`. */
export const appServerModel = {
  schema: 'urn:ivcap:schema:service.app-server.1',
  orderable: false,
  jsonSchema,
  usage: 'Open its host in a browser',
  verifyController: (controller: Json): void => {
    readSite(controller);
    checkSiteHost(controller['host'], new Set());
  },
} as const;
