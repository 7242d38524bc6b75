import type { ServerResponse } from 'node:http';
import type { PlatformCaller } from '../../ports.ts';
import { Backlog } from './backlog.ts';
import type { Consumer, ConsumerOptions } from './consumers.ts';
import type { EncodedNotification } from './encoded-notification.ts';
import type { StreamFormat } from './subscription.ts';

/** What a stream needs besides. */
export interface StreamOptions extends ConsumerOptions {
  readonly format: StreamFormat;
  /** The newest revision, for heartbeats: everything up to it has been sent. */
  readonly newest: () => number | undefined;
}

/**
 * A proxy that reads a plain answer without end. It says nothing, so the connection itself is its sign of life; we say
 * something every half period, so that the machines in between keep it.
 */
export class StreamConsumer implements Consumer {
  readonly caller: PlatformCaller;
  readonly #response: ServerResponse;
  readonly #parts: StreamOptions;
  readonly #heartbeat: NodeJS.Timeout;
  readonly #backlog = new Backlog();

  constructor(response: ServerResponse, parts: StreamOptions) {
    this.caller = parts.caller;
    this.#response = response;
    this.#parts = parts;
    this.#heartbeat = setInterval(() => this.#beat(), parts.maxPingPeriodMs / 2).unref();
    response.on('error', () => {}).once('close', () => clearInterval(this.#heartbeat));
    this.#catchUp();
  }

  send(notification: EncodedNotification): void {
    this.#write(this.#bytesOf(notification));
  }

  close(): void {
    clearInterval(this.#heartbeat);
    this.#response.end();
  }

  cut(): void {
    clearInterval(this.#heartbeat);
    this.#response.destroy();
  }

  #catchUp(): void {
    const { missed } = this.#parts;
    this.#backlog.allowMissed(missed.reduce((sum, notification) => sum + this.#bytesOf(notification).length, 0));
    for (const notification of missed) this.send(notification);
    const settle = () => this.#backlog.allowMissed(0);
    if (this.#response.writableNeedDrain) this.#response.once('drain', settle);
    else settle();
  }

  #bytesOf(notification: EncodedNotification): Buffer {
    return this.#parts.format === 'text/event-stream' ? notification.event : notification.line;
  }

  /** An event without data only moves the revision from which a browser resumes. */
  #beat(): void {
    const newest = this.#parts.newest();
    const events = newest === undefined ? ': heartbeat\n\n' : `id: ${newest}\n\n`;
    const line = `${JSON.stringify({ type: 'HEARTBEAT', revision: newest })}\n`;
    this.#write(Buffer.from(this.#parts.format === 'text/event-stream' ? events : line));
    this.#parts.onSeen();
  }

  #write(bytes: Buffer): void {
    if (this.#response.writableEnded || this.#response.destroyed) return;
    this.#response.write(bytes);
    if (!this.#backlog.isTooMuch(this.#response.writableLength, bytes.length)) return;
    this.#parts.onTooSlow();
    this.cut();
  }
}
