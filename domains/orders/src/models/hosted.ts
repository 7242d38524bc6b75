import { readHostedProcess } from '../model/hosting/hosted-process.ts';
import { command, free, port, text } from './field-schemas.ts';
import { objectSchema } from './model-registry.ts';
import type { ServiceModel } from './service-model.ts';

const jsonSchema = objectSchema(
  { image: text, command, port, resources: free, 'ready-url': text, 'service-account': text },
  ['image'],
);

/** A server that runs all the time and takes jobs. */
export const restModel: ServiceModel = {
  schema: 'urn:ivcap:schema:service.rest.1',
  orderable: false,
  acceptsJobs: true,
  jsonSchema,
  usage: 'Send jobs to it: POST /1/services2/{id}/jobs',
  hosting: { takes: 'jobs', read: readHostedProcess },
};

/** A server that runs all the time, reached through a reverse proxy. */
export const serviceProxyModel: ServiceModel = {
  schema: 'urn:ivcap:schema:controller.service-proxy.1',
  aliases: ['urn:ivcap:schema:service.service-proxy.1'],
  orderable: false,
  jsonSchema,
  usage: 'Send requests to its link `proxy`: /1/services2/{id}/proxy/',
  hosting: { takes: 'requests', read: readHostedProcess },
};
