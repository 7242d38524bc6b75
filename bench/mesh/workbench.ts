import { Outbox } from './outbox.ts';
import { SpareBuffers } from './spare-buffers.ts';

/** Shared state of the connections of a process: one connection is processed at a time, and leaves nothing behind. */
export class Workbench {
  /** Input buffer. */
  readonly input = Buffer.allocUnsafeSlow(64 * 1024);
  readonly outbox = new Outbox();
  readonly spares = new SpareBuffers();
}
