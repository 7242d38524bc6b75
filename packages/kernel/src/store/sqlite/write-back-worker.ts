import { type MessagePort, workerData } from 'node:worker_threads';
import { openForReading } from './open-database.ts';

/** What the thread is started with. */
export interface WriteBackData {
  readonly path: string;
  /** Where it is told to begin, and tells when it is done. */
  readonly port: MessagePort;
}

/** The connection is open no longer than needed: whoever closes the last one tidies up the log. */
function writeBack(path: string): void {
  const database = openForReading(path);
  try {
    database.exec('PRAGMA wal_checkpoint(PASSIVE)');
  } finally {
    database.close();
  }
}

const { path, port } = workerData as WriteBackData;
port.on('message', () => {
  try {
    writeBack(path);
  } catch {
    // What could not be written back is still in the log. The writer will have the same trouble, and say so.
  }
  port.postMessage('done');
});
