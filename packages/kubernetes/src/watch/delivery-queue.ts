import type { EventStream } from '@chandlery/http';
import type { WatchItem } from '@chandlery/kernel';
import type { FrameWriter } from './frames.ts';

/** More than this may wait only for a client that reads. */
const maxWaitingBytes = 4 * 1024 * 1024;
/** More than this may not wait: the client is slower than the changes, and has to resume. */
const maxLagBytes = 64 * 1024 * 1024;
/** A client for which much waits and that has taken nothing for this long does not read. */
const stallMs = 10_000;

interface Waiting {
  /** The item, or its frame when no other watcher shares it. */
  readonly content: WatchItem | Buffer;
  readonly bytes: number;
}

export interface DeliveryQueueOptions {
  readonly stream: Pick<EventStream, 'write' | 'drained' | 'cut' | 'isOpen'>;
  readonly frames: FrameWriter;
  /** Default `performance.now`. */
  readonly now?: () => number;
}

/**
 * Delivers events of any number and size at the pace of the client. What waits are the events themselves, which all
 * watchers share; a frame is made when the stream takes it. A client that reads is not cut off because much happens at
 * once, one that does not is.
 */
export class DeliveryQueue {
  readonly #stream: DeliveryQueueOptions['stream'];
  readonly #frames: FrameWriter;
  readonly #now: () => number;
  #waiting: Waiting[] = [];
  #bytes = 0;
  #progressAt = 0;
  #delivery: Promise<void> | undefined;
  #stallCheck: NodeJS.Timeout | undefined;

  constructor({ stream, frames, now = () => performance.now() }: DeliveryQueueOptions) {
    this.#stream = stream;
    this.#frames = frames;
    this.#now = now;
  }

  /** Delivers in order. The promise, if there is one, is kept when the client has taken everything. */
  push(items: readonly WatchItem[]): Promise<void> | undefined {
    if (!this.#stream.isOpen) return undefined;
    let index = 0;
    if (this.#delivery === undefined) {
      let isFlowing = true;
      while (isFlowing && index < items.length) isFlowing = this.#stream.write(this.#frames.frame(at(items, index++)));
      if (isFlowing) return undefined;
      this.#progressAt = this.#now();
    }
    for (; index < items.length; index += 1) this.#add(at(items, index));
    this.#cutIfTooSlow();
    this.#delivery ??= this.#deliver();
    return this.#delivery;
  }

  /** Whether nothing waits for the client. */
  get isIdle(): boolean {
    return this.#delivery === undefined;
  }

  #add(item: WatchItem): void {
    const source = item.type === 'BOOKMARK' ? undefined : item.source;
    const content = source === undefined ? this.#frames.frame(item) : item;
    const bytes = Buffer.isBuffer(content) ? content.length : (source?.change.value.bytes.length ?? 0);
    this.#waiting.push({ content, bytes });
    this.#bytes += bytes;
  }

  async #deliver(): Promise<void> {
    await this.#stream.drained();
    while (this.#waiting.length > 0 && this.#stream.isOpen) {
      this.#progressAt = this.#now();
      if (!this.#writeSome()) await this.#stream.drained();
    }
    this.#waiting = [];
    this.#bytes = 0;
    this.#delivery = undefined;
    clearTimeout(this.#stallCheck);
    this.#stallCheck = undefined;
  }

  /** Writes as much as the stream takes at once; false when it takes no more. */
  #writeSome(): boolean {
    let count = 0;
    let isFlowing = true;
    for (const { content, bytes } of this.#waiting) {
      if (!isFlowing) break;
      isFlowing = this.#stream.write(this.#frameOf(content));
      this.#bytes -= bytes;
      count += 1;
    }
    this.#waiting.splice(0, count);
    return isFlowing;
  }

  #frameOf(content: WatchItem | Buffer): Buffer {
    return Buffer.isBuffer(content) ? content : this.#frames.frame(content);
  }

  #cutIfTooSlow(): void {
    if (this.#bytes <= maxWaitingBytes || !this.#stream.isOpen) return;
    const isStalled = this.#now() - this.#progressAt >= stallMs;
    if (isStalled || this.#bytes > maxLagBytes) return this.#stream.cut();
    // Nothing may come after this that would be a reason to check again.
    this.#stallCheck ??= setTimeout(() => {
      this.#stallCheck = undefined;
      this.#cutIfTooSlow();
    }, stallMs).unref();
  }
}

const at = (items: readonly WatchItem[], index: number): WatchItem => items[index] as WatchItem;
