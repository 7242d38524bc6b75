import type { InstanceWorkerDefinition } from '../worker-definition.ts';
import { renewCertificate } from './renew-certificate.ts';

/** Keeps what is ready in order. */
export const readyWorker: InstanceWorkerDefinition = {
  name: 'ready',
  states: ['ready'],
  steps: [renewCertificate],
};
