import type { WorkerMessage } from './messages.ts';

/** Sends a message to the runner; does nothing in a worker that was started by hand. */
export function send(message: WorkerMessage): void {
  process.send?.(message);
}
