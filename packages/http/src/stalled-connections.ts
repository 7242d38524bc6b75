import type { Socket } from 'node:net';

interface Progress {
  /** Bytes that have left. */
  sent: number;
  /** Since when it has been so many. */
  since: number;
}

/**
 * Cuts connections whose client takes nothing of what waits for it for too long: responses of any size, streams, and
 * whatever a connection was upgraded to. TCP alone keeps such a connection for ever, as the other side is alive.
 */
export class StalledConnections implements Disposable {
  readonly #stallMs: number;
  readonly #now: () => number;
  readonly #sockets = new Map<Socket, Progress | undefined>();
  readonly #timer: NodeJS.Timeout;

  constructor(
    { sendStallMs, timeoutCheckMs }: { readonly sendStallMs: number; readonly timeoutCheckMs: number },
    now: () => number = () => performance.now(),
  ) {
    this.#stallMs = sendStallMs;
    this.#now = now;
    this.#timer = setInterval(() => this.check(), timeoutCheckMs).unref();
  }

  readonly add = (socket: Socket): void => {
    this.#sockets.set(socket, undefined);
    socket.once('close', () => this.#sockets.delete(socket));
  };

  /** Happens by itself every `timeoutCheckMs`. */
  check(): void {
    const now = this.#now();
    for (const [socket, progress] of this.#sockets) {
      if (socket.writableLength === 0) {
        if (progress !== undefined) this.#sockets.set(socket, undefined);
        continue;
      }
      const sent = socket.bytesWritten - socket.writableLength;
      if (progress?.sent !== sent) this.#sockets.set(socket, { sent, since: now });
      else if (now - progress.since >= this.#stallMs) socket.destroy();
    }
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}
