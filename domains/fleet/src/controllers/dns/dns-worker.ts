import { certifyRoutes } from '../ready/renew-certificate.ts';
import type { InstanceWorkerDefinition } from '../worker-definition.ts';
import { putRecords } from './put-records.ts';

/** Brings the routes of instances into their certificates and into DNS. */
export const dnsWorker: InstanceWorkerDefinition = {
  name: 'dns',
  states: ['provisioning', 'ready', 'failed', 'suspending', 'suspended', 'resuming'],
  isMine: ({ status }) => !status.routesCreated && status.host !== undefined,
  steps: [certifyRoutes, putRecords],
};
