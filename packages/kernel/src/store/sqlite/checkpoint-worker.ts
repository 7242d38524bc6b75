import { type MessagePort, workerData } from 'node:worker_threads';
import { checkpointBeside } from './integrity/checkpoint.ts';

/** What the thread is started with. */
export interface CheckpointWorkerData {
  readonly path: string;
  /** Receives the requests to checkpoint, and sends when one is done. */
  readonly port: MessagePort;
}

const { path, port } = workerData as CheckpointWorkerData;
port.on('message', () => {
  try {
    // Connections are open no longer than needed: the last one to close truncates the log.
    checkpointBeside(path);
  } catch {
    // What could not be written back is still in the log. The writer will have the same trouble, and say so.
  }
  port.postMessage('done');
});
