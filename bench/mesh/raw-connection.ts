import { once } from 'node:events';
import type { TLSSocket } from 'node:tls';
import { ChandleryError, toError } from '@chandlery/api';
import { connectRaw, type RawAddress } from './connect-raw.ts';
import { FrameReader, streamEnded } from './frame-reader.ts';
import { clientPreface, type FrameHead, frameFlags, frameTypes, readInitialWindow } from './http2-frames.ts';
import { MessageAssembler } from './message-assembler.ts';
import { SendWindows } from './send-windows.ts';
import type { Workbench } from './workbench.ts';

export interface RawConnectionOptions extends RawAddress {
  readonly workbench: Workbench;
  /** Called once, when the connection or a stream has ended, or on an unexpected frame. */
  readonly onFailure: (failure: ChandleryError) => void;
}

/** Sends a framed message: with the responses to the current input, or at the next flush. */
export type SendMessage = (frame: Uint8Array) => void;

/** The server gets its window once; it must not be used up. */
const maxReceivedBytes = 2 ** 30;
const nothing = Buffer.alloc(0);

/**
 * A connection for gRPC streams with minimal work, because client CPU is taken from the measured server. It implements
 * only the needed part of HTTP/2; a stream that ends, and any unexpected frame, is a failure.
 */
export class RawConnection {
  readonly #options: RawConnectionOptions;
  readonly #socket: TLSSocket;
  readonly #frames: FrameReader;
  readonly #windows = new SendWindows();
  readonly #streams = new Map<number, MessageAssembler>();
  #nextStreamId = 1;
  #receivedBytes = 0;
  #isOver = false;

  private constructor(options: RawConnectionOptions) {
    this.#options = options;
    this.#frames = new FrameReader({
      onData: (streamId, piece) => this.#onData(streamId, piece),
      onFrame: (head, payload) => this.#onFrame(head, payload),
    });
    const bytes = options.workbench.input;
    this.#socket = connectRaw(options, { bytes, onChunk: chunk => this.#onChunk(chunk) });
    // Immediately: the preface must precede any response to the server.
    this.#socket.once('secureConnect', () => this.#socket.write(clientPreface));
  }

  /** Rejects when the connection is rejected. */
  static async open(options: RawConnectionOptions): Promise<RawConnection> {
    const connection = new RawConnection(options);
    const socket = connection.#socket;
    await once(socket, 'secureConnect');
    socket.on('error', error => connection.#fail(error));
    socket.on('close', () => connection.#fail(broken('the server closed the connection')));
    if (socket.alpnProtocol !== 'h2') throw broken('the server does not speak HTTP/2');
    return connection;
  }

  /**
   * Opens a stream, which is sent with the first message.
   *
   * @param headers encoded
   * @param onMessage is called with each message, whose bytes are reused after the call
   */
  openStream(headers: Buffer, onMessage: (message: Buffer) => void): SendMessage {
    const { outbox, spares } = this.#options.workbench;
    const streamId = this.#nextStreamId;
    this.#nextStreamId += 2;
    this.#streams.set(streamId, new MessageAssembler(spares, onMessage));
    this.#windows.open(streamId);
    outbox.add({ type: frameTypes.headers, flags: frameFlags.endHeaders, streamId }, headers);
    const head: FrameHead = { type: frameTypes.data, flags: frameFlags.none, streamId };
    return frame => {
      this.#windows.spend(streamId, frame.length);
      outbox.add(head, frame);
    };
  }

  /** Sends all collected frames. To be called before another connection is processed. */
  flush(): void {
    const { outbox } = this.#options.workbench;
    if (!outbox.isEmpty) this.#socket.write(outbox.take());
  }

  close(): void {
    this.#isOver = true;
    this.#socket.destroy();
  }

  #onChunk(chunk: Buffer): void {
    if (this.#isOver) return;
    try {
      this.#frames.push(chunk);
      this.flush();
    } catch (error) {
      this.#fail(error);
    }
  }

  #onData(streamId: number, piece: Buffer): void {
    this.#receivedBytes += piece.length;
    if (this.#receivedBytes > maxReceivedBytes) throw broken('more has come than a raw connection is made for');
    const stream = this.#streams.get(streamId);
    if (stream === undefined) throw broken(`stream ${streamId} is not open`);
    stream.push(piece);
  }

  #onFrame(head: FrameHead, payload: Buffer): void {
    const { type, flags, streamId } = head;
    switch (type) {
      case frameTypes.headers:
        if (flags & frameFlags.endStream) throw streamEnded(streamId);
        return;
      case frameTypes.settings:
        return this.#onSettings(head, payload);
      case frameTypes.ping:
        return this.#acknowledge(head, payload);
      case frameTypes.windowUpdate:
        return this.#windows.grow(streamId, payload.readUInt32BE());
      case frameTypes.resetStream:
        throw broken(`the server reset stream ${streamId} with code ${payload.readUInt32BE()}`);
      case frameTypes.goAway:
        throw broken(`the server says goodbye with code ${payload.readUInt32BE(4)}: "${payload.toString('utf8', 8)}"`);
      case frameTypes.pushPromise:
        throw broken('the server pushes though it may not');
      default:
      // Unknown frames are ignored, as HTTP/2 requires; the known remaining types need no handling.
    }
  }

  #onSettings(head: FrameHead, payload: Buffer): void {
    if (head.flags & frameFlags.ack) return;
    const initialWindow = readInitialWindow(payload);
    if (initialWindow !== undefined) this.#windows.setInitial(initialWindow);
    this.#acknowledge(head, nothing);
  }

  #acknowledge({ type, flags }: FrameHead, payload: Buffer): void {
    if (flags & frameFlags.ack) return;
    this.#options.workbench.outbox.add({ type, flags: frameFlags.ack, streamId: 0 }, payload);
  }

  #fail(error: unknown): void {
    if (this.#isOver) return;
    this.close();
    this.#options.onFailure(toError(error));
  }
}

const broken = (message: string): ChandleryError => new ChandleryError('ConnectionBroken', message);
