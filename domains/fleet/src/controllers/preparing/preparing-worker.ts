import type { InstanceWorkerDefinition } from '../worker-definition.ts';
import { ensureClient } from './ensure-client.ts';
import { finishPreparation } from './finish-preparation.ts';
import { issueCertificate } from './issue-certificate.ts';
import { nameHost } from './name-host.ts';

/** Prepares what an instance needs outside its cluster: from preparing to provisioning. */
export const preparingWorker: InstanceWorkerDefinition = {
  name: 'preparing',
  states: ['preparing'],
  deadlinesIn: ['preparing'],
  steps: [nameHost, ensureClient, issueCertificate, finishPreparation],
};
