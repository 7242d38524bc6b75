import type { WorkerMessage } from './messages.ts';

/** Tells the runner something; nobody listens when a worker is started by hand. */
export function send(message: WorkerMessage): void {
  process.send?.(message);
}
