import type { InstanceWorkerDefinition } from '../worker-definition.ts';
import { renewCertificate } from './renew-certificate.ts';

/** Keeps what is ready in order. */
export const readyWorker: InstanceWorkerDefinition = {
  name: 'ready',
  states: ['ready'],
  steps: [renewCertificate],
  listen: ({ registry, onAuthorityChange }, enqueue) =>
    onAuthorityChange?.(() => {
      for (const row of registry.instances.all()) enqueue(row);
    }) ?? (() => undefined),
};
