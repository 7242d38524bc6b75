import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { apiError, type ChandleryError } from '@chandlery/api';
import { type ActiveResponses, formatResponse } from './client-errors.ts';
import { findExcess, type HttpLimits } from './limits.ts';
import type { HttpLogger } from './logger.ts';

/** Takes over a connection whose client wants to speak WebSocket, handshake included; it may reject. */
export type UpgradeHandler = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

/** A path, or a function that accepts paths. */
export type UpgradePath = string | ((path: string) => boolean);

export interface UpgradesDeps {
  readonly logger: HttpLogger;
  readonly limits: HttpLimits;
  readonly active: ActiveResponses;
  readonly isClosing: () => boolean;
  /** Whether a request is for a host name that has no upgrades. */
  readonly isElsewhere: (request: IncomingMessage) => boolean;
}

/** The connections that have left HTTP, and who took them. */
export class Upgrades {
  readonly #deps: UpgradesDeps;
  readonly #handlers: { readonly accepts: (path: string) => boolean; readonly handler: UpgradeHandler }[] = [];
  readonly #sockets = new Set<Duplex>();

  constructor(deps: UpgradesDeps) {
    this.#deps = deps;
  }

  add(path: UpgradePath, handler: UpgradeHandler): void {
    this.#handlers.push({ accepts: typeof path === 'string' ? given => given === path : path, handler });
  }

  /** Whether the request asks for an upgrade that has a handler; others are served as if they had not asked. */
  readonly isWanted = (request: IncomingMessage): boolean =>
    request.headers.upgrade?.toLowerCase() === 'websocket' &&
    this.#find(request) !== undefined &&
    !this.#deps.isElsewhere(request);

  readonly accept = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    // The handler may listen too late, or not at all; a broken connection must not end the process.
    socket.on('error', () => {});
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    // Node does not wait for the answers before; whatever were said now would be taken for one of them.
    if (this.#isAnswering(socket)) return void socket.destroy();
    const refusal = this.#refusalOf(request);
    if (refusal !== undefined) return refuse(socket, refusal);
    try {
      this.#find(request)?.(request, socket, head);
    } catch (thrown) {
      this.#deps.logger.error('an upgrade failed unexpectedly', { path: pathOf(request), error: textOf(thrown) });
      socket.destroy();
    }
  };

  /** Cuts what is still open. */
  destroyAll(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  #find(request: IncomingMessage): UpgradeHandler | undefined {
    const path = pathOf(request);
    return this.#handlers.find(({ accepts }) => accepts(path))?.handler;
  }

  #isAnswering(socket: Duplex): boolean {
    const response = this.#deps.active.get(socket as Socket);
    return response !== undefined && !response.writableFinished;
  }

  #refusalOf(request: IncomingMessage): ChandleryError | undefined {
    if (this.#deps.isClosing()) return apiError('ServiceUnavailable', 'the process is shutting down');
    return findExcess(request, this.#deps.limits);
  }
}

const pathOf = ({ url = '' }: IncomingMessage): string => url.split('?', 1)[0] ?? '';

const textOf = (thrown: unknown): string =>
  thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);

function refuse(socket: Duplex, error: ChandleryError): void {
  socket.end(formatResponse(error), () => socket.destroy());
}
