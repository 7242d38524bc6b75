import { connect, type Socket } from 'node:net';
import type { LoadTarget } from './load-job.ts';
import type { Ask } from './workload.ts';

const headEnd = '\r\n\r\n';

/**
 * One kept-alive connection, one request at a time, with as little work as possible: what the load costs is lost to
 * what is measured. Answers must say their length.
 */
export class HttpLine {
  readonly #socket: Socket;
  readonly #target: LoadTarget;
  readonly #head: string;
  #received: Buffer = Buffer.alloc(0);
  #missingBytes = 0;
  #expected: Ask | undefined;
  onAnswer: () => void = () => undefined;
  onFailure: (failure: Error) => void = () => undefined;

  private constructor(socket: Socket, target: LoadTarget) {
    this.#socket = socket;
    this.#target = target;
    this.#head = ` HTTP/1.1\r\nhost: 127.0.0.1:${target.port}\r\nauthorization: ${target.authorization}\r\nx-broker-api-version: 2.17\r\n`;
    socket.setNoDelay(true);
    socket.on('data', (chunk: Buffer) => this.#take(chunk));
    socket.on('error', error => this.onFailure(error));
    socket.on('close', () => this.onFailure(new Error('the connection was closed')));
  }

  static open(target: LoadTarget): Promise<HttpLine> {
    return new Promise((resolve, reject) => {
      const socket = connect(target.port, '127.0.0.1', () => resolve(new HttpLine(socket, target)));
      socket.once('error', reject);
    });
  }

  send(ask: Ask): void {
    this.#expected = ask;
    const { method, path, body } = ask;
    const start = `${method} ${this.#target.prefix}${path}${this.#head}`;
    if (body === undefined) this.#socket.write(`${start}\r\n`, 'latin1');
    else
      this.#socket.write(
        `${start}content-type: application/json\r\ncontent-length: ${body.length}${headEnd}${body}`,
        'latin1',
      );
  }

  close(): void {
    this.onFailure = () => undefined;
    this.#socket.destroy();
  }

  #take(chunk: Buffer): void {
    if (this.#missingBytes > 0) return this.#takeBody(chunk.length);
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
    const end = this.#received.indexOf(headEnd);
    if (end < 0) return;
    const head = this.#received.toString('latin1', 0, end);
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
    const { status = 0, method = '', path = '' } = this.#expected ?? {};
    if (length === undefined || head.slice(9, 12) !== String(status)) {
      return this.onFailure(new Error(`${method} ${path} was answered by: ${this.#received.toString()}`));
    }
    this.#missingBytes = Number(length);
    const bodyBytes = this.#received.length - end - headEnd.length;
    this.#received = Buffer.alloc(0);
    this.#takeBody(bodyBytes);
  }

  #takeBody(bytes: number): void {
    this.#missingBytes -= bytes;
    if (this.#missingBytes === 0) this.onAnswer();
  }
}
