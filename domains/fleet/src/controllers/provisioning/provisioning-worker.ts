import { listenToVersions } from '../accepted/accepted-worker.ts';
import { chooseVersions } from '../accepted/choose-versions.ts';
import { createPlace } from '../accepted/place.ts';
import { WaitingInstances } from '../accepted/waiting-instances.ts';
import { ensureClient } from '../preparing/ensure-client.ts';
import { finishPreparation } from '../preparing/finish-preparation.ts';
import { issueCertificate } from '../preparing/issue-certificate.ts';
import { nameHost } from '../preparing/name-host.ts';
import type { InstanceWorkerDefinition } from '../worker-definition.ts';
import { stopIfPlaced } from './stop-if-placed.ts';

/** Waits for the agent until the deadline, and places again what a full cluster rejected. */
export function provisioningWorker(waiting: WaitingInstances = new WaitingInstances()): InstanceWorkerDefinition {
  return {
    name: 'provisioning',
    states: ['provisioning'],
    deadlinesIn: ['provisioning'],
    steps: [
      stopIfPlaced,
      createPlace(waiting),
      chooseVersions,
      nameHost,
      ensureClient,
      issueCertificate,
      finishPreparation,
    ],
    listen: (deps, enqueue) => {
      const stops = [waiting.listen(deps, enqueue), listenToVersions(deps, enqueue)];
      return () => {
        for (const stop of stops) stop();
      };
    },
  };
}
