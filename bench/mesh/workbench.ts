import { Outbox } from './outbox.ts';
import { SpareBuffers } from './spare-buffers.ts';

/** What the connections of a process share: one is at work at a time, and has cleared up when the next one's turn comes. */
export class Workbench {
  /** Where chunks are read into. */
  readonly input = Buffer.allocUnsafeSlow(64 * 1024);
  readonly outbox = new Outbox();
  readonly spares = new SpareBuffers();
}
