import { acceptedWorker } from './accepted/accepted-worker.ts';
import { deletingWorker } from './deleting/deleting-worker.ts';
import { dnsWorker } from './dns/dns-worker.ts';
import { generalWorker } from './general/general-worker.ts';
import { InstanceLocks } from './instance-locks.ts';
import { type InstanceWorkerOptions, startInstanceWorker } from './instance-worker.ts';
import { preparingWorker } from './preparing/preparing-worker.ts';
import { provisioningWorker } from './provisioning/provisioning-worker.ts';
import { readyWorker } from './ready/ready-worker.ts';
import type { InstanceWorkerDefinition } from './worker-definition.ts';
import type { WorkerDeps } from './worker-deps.ts';

/** The seven workers, as they take over an instance in the course of its life. */
const definitions = (): readonly InstanceWorkerDefinition[] => [
  generalWorker(),
  acceptedWorker(),
  preparingWorker,
  provisioningWorker(),
  dnsWorker,
  readyWorker,
  deletingWorker,
];

/** Starts the seven workers of instances. The registry must be filled, and only one process at a time may run them. */
export function startInstanceWorkers(deps: WorkerDeps, options: InstanceWorkerOptions = {}): AsyncDisposable {
  const workers = new AsyncDisposableStack();
  const locks = new InstanceLocks();
  for (const definition of definitions()) workers.use(startInstanceWorker(definition, deps, { locks, ...options }));
  return { [Symbol.asyncDispose]: () => workers.disposeAsync() };
}
