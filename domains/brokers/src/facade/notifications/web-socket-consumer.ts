import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import type { PlatformCaller } from '../../ports.ts';
import { Backlog } from './backlog.ts';
import type { CloseReason, Consumer, ConsumerOptions } from './consumers.ts';
import type { EncodedNotification } from './encoded-notification.ts';
import { goDuration } from './subscription.ts';
import { textFrame } from './text-frame.ts';

/** How long the other side may take to say good-bye. */
const closeTimeoutMs = 1000;

const closings: Readonly<Record<CloseReason, readonly [code: number, reason: string]>> = {
  shutdown: [1001, 'the service manager is shutting down'],
  credentials: [1008, 'the credentials are not valid any more'],
};

/**
 * A proxy on a WebSocket.
 *
 * Frames are encoded once for all consumers and written directly to the socket. The library only sends complete control
 * frames, because extensions are off. A proxy that is silent for a ping period is considered disconnected.
 */
export class WebSocketConsumer implements Consumer {
  readonly caller: PlatformCaller;
  readonly #webSocket: WebSocket;
  readonly #socket: Duplex;
  readonly #parts: ConsumerOptions;
  readonly #silence: NodeJS.Timeout;
  readonly #backlog = new Backlog();

  constructor(webSocket: WebSocket, socket: Duplex, parts: ConsumerOptions) {
    this.caller = parts.caller;
    this.#webSocket = webSocket;
    this.#socket = socket;
    this.#parts = parts;
    const silenceReason = `no ping within ${goDuration(parts.maxPingPeriodMs)}`;
    this.#silence = setTimeout(() => this.#close(1008, silenceReason), parts.maxPingPeriodMs).unref();
    this.#listen();
    this.#catchUp();
  }

  send({ frame }: EncodedNotification): void {
    if (this.#webSocket.readyState !== this.#webSocket.OPEN) return;
    this.#socket.write(frame);
    if (!this.#backlog.isTooMuch(this.#socket.writableLength, frame.length)) return;
    this.#parts.onTooSlow();
    this.cut();
  }

  close(why: CloseReason): void {
    this.#close(...closings[why]);
  }

  cut(): void {
    clearTimeout(this.#silence);
    this.#webSocket.terminate();
  }

  #listen(): void {
    const seen = () => {
      if (this.#webSocket.readyState !== this.#webSocket.OPEN) return;
      this.#silence.refresh();
      this.#parts.onSeen();
    };
    // The library sends pongs; errors are followed by `close`.
    this.#webSocket
      .on('error', () => {})
      .on('ping', seen)
      .on('pong', seen)
      .on('message', (data, isBinary) => {
        seen();
        // The library delivers complete messages by default.
        if (!isBinary) this.#acknowledge((data as Buffer).toString());
      })
      .on('close', () => clearTimeout(this.#silence));
  }

  #catchUp(): void {
    const { missed } = this.#parts;
    this.#backlog.allowMissed(missed.reduce((sum, { frame }) => sum + frame.length, 0));
    for (const notification of missed) this.send(notification);
    const settle = () => this.#backlog.allowMissed(0);
    if (this.#socket.writableNeedDrain) this.#socket.once('drain', settle);
    else settle();
  }

  /** Confirms an acknowledgement; other messages of proxies are ignored. */
  #acknowledge(text: string): void {
    const acked = ackOf(text);
    if (acked !== undefined && this.#webSocket.readyState === this.#webSocket.OPEN)
      this.#socket.write(textFrame(JSON.stringify({ acked })));
  }

  /** A peer that does not close its side in time is cut off. */
  #close(code: number, reason: string): void {
    clearTimeout(this.#silence);
    this.#webSocket.close(code, reason);
    const cut = setTimeout(() => this.cut(), closeTimeoutMs).unref();
    this.#webSocket.once('close', () => clearTimeout(cut));
  }
}

/** The revision that `{"ack": n}` names. */
function ackOf(text: string): number | undefined {
  try {
    const { ack } = JSON.parse(text) as { ack?: unknown };
    return Number.isSafeInteger(ack) ? (ack as number) : undefined;
  } catch {
    return undefined;
  }
}
