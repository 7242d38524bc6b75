import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import type { CommonHeaders } from '@chandlery/http';
import type { Logger } from '@chandlery/platform';
import { WebSocketServer } from 'ws';
import { smError } from '../../errors.ts';
import type { PlatformCaller } from '../../ports.ts';
import type { BrokerSettings } from '../../settings.ts';
import type { Authenticator } from '../authentication/authenticator.ts';
import { unauthorized } from '../rest/access/tenants.ts';
import type { Consumer, ConsumerOptions, Consumers } from './consumers.ts';
import type { EncodedNotification } from './encoded-notification.ts';
import type { NotificationLog } from './notification-log.ts';
import type { PlatformPresence } from './platform-presence.ts';
import { type Rejection, rejectionFor, rejectRequest, rejectUpgrade } from './rejection.ts';
import { StreamConsumer } from './stream-consumer.ts';
import { agentVersionOf, checkTarget, goDuration, requestedRevision, wantedFormat } from './subscription.ts';
import { WebSocketConsumer } from './web-socket-consumer.ts';

/** The dependencies of the endpoints. */
export interface EndpointDeps {
  readonly authenticator: Authenticator;
  readonly settings: Pick<BrokerSettings, 'maxPingPeriodMs' | 'notificationQueueSize'>;
  readonly logger: Logger;
  readonly consumers: Consumers;
  readonly log: NotificationLog;
  readonly presence: PlatformPresence;
}

/** Proxies say nothing but acknowledgements. */
const maxIncomingBytes = 4096;
/** How long those who are sent away may take. */
const closeTimeoutMs = 1000;

type Connection = Duplex | ServerResponse;

/** The two ways in: WebSockets, and plain answers without end. */
export class NotificationEndpoints {
  readonly #parts: EndpointDeps;
  readonly #server: WebSocketServer;
  /** Additional response headers of the handshake, by request. */
  readonly #handshakeHeaders = new WeakMap<IncomingMessage, Readonly<Record<string, string>>>();
  readonly #open = new Set<Connection>();
  #isClosing = false;

  constructor(parts: EndpointDeps) {
    this.#parts = parts;
    const options = { noServer: true, clientTracking: false, perMessageDeflate: false, maxPayload: maxIncomingBytes };
    this.#server = new WebSocketServer(options);
    this.#server.on('headers', (headers, request) => {
      for (const [name, value] of Object.entries(this.#handshakeHeaders.get(request) ?? {}))
        headers.push(`${name}: ${value}`);
    });
  }

  async upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    try {
      this.#watch(socket);
      const caller = await this.#callerOf(request);
      const revision = await this.#connect(caller, request, socket);
      const parts = this.#consumerOptions(caller, revision);
      this.#handshakeHeaders.set(request, this.#handshake());
      this.#server.handleUpgrade(request, socket, head, webSocket =>
        this.#add(new WebSocketConsumer(webSocket, socket, parts), socket),
      );
    } catch (thrown) {
      rejectUpgrade(socket, this.#rejection(thrown, request));
    }
  }

  async stream(request: IncomingMessage, response: ServerResponse, common: CommonHeaders): Promise<void> {
    try {
      this.#watch(response);
      checkTarget(request);
      const caller = await this.#callerOf(request);
      const format = wantedFormat(request);
      const revision = await this.#connect(caller, request, response);
      const parts = this.#consumerOptions(caller, revision);
      response.writeHead(200, {
        ...common,
        'content-type': format,
        'cache-control': 'no-store',
        ...this.#handshake(),
      });
      response.flushHeaders();
      this.#add(new StreamConsumer(response, { ...parts, format, newest: () => this.#parts.log.newest }), response);
    } catch (thrown) {
      rejectRequest(response, this.#rejection(thrown, request), common);
    }
  }

  /** Closes all connections gracefully and cuts those that do not close in time. */
  async close(): Promise<void> {
    this.#isClosing = true;
    for (const consumer of this.#parts.consumers.all()) consumer.close('shutdown');
    const closed = Promise.all([...this.#open].map(whenClosed));
    const grace = new AbortController();
    await Promise.race([closed, pause(closeTimeoutMs, undefined, { signal: grace.signal }).catch(() => undefined)]);
    grace.abort();
    for (const connection of this.#open) connection.destroy();
    await closed;
  }

  #watch(connection: Connection): void {
    if (this.#isClosing)
      throw smError('ServiceUnavailable', 'the service manager is shutting down', { isRetryable: true });
    this.#open.add(connection);
    connection.once('close', () => this.#open.delete(connection));
  }

  async #callerOf(request: IncomingMessage): Promise<PlatformCaller> {
    const caller = await this.#parts.authenticator.authenticate(request);
    if (caller.type !== 'platform') throw unauthorized();
    return caller;
  }

  /** Marks the platform as connected. Returns the revision to resume from. */
  async #connect(
    caller: PlatformCaller,
    request: IncomingMessage,
    connection: Connection,
  ): Promise<number | undefined> {
    const { log, presence } = this.#parts;
    const revision = requestedRevision(request);
    await log.filled;
    // A proxy that cannot be served must not count as connected.
    this.#missedSince(revision, caller);
    if (connection.closed) throw smError('BadRequest', 'the connection was closed');
    connection.once('close', () => presence.disconnected(caller.platformId));
    await presence.connected(caller, agentVersionOf(request));
    return revision;
  }

  #missedSince(revision: number | undefined, { platformId }: PlatformCaller): readonly EncodedNotification[] {
    const { log, settings } = this.#parts;
    if (revision === undefined) return [];
    const missed = log.since(revision, platformId, settings.notificationQueueSize);
    if (missed === undefined) throw smError('Gone', 'the notifications since this revision are not available any more');
    return missed;
  }

  #consumerOptions(caller: PlatformCaller, revision: number | undefined): ConsumerOptions {
    const { settings, presence, logger } = this.#parts;
    const { platformId } = caller;
    return {
      caller,
      missed: this.#missedSince(revision, caller),
      maxPingPeriodMs: settings.maxPingPeriodMs,
      onSeen: () => presence.seen(platformId),
      onTooSlow: () => logger.warn('disconnected a proxy that does not read', { platformId }),
    };
  }

  /** The handshake headers. Must be read together with the missed notifications, so that both match. */
  #handshake(): Record<string, string> {
    const { log, settings } = this.#parts;
    const { newest } = log;
    return {
      ...(newest === undefined ? {} : { last_notification_revision: String(newest) }),
      max_ping_period: goDuration(settings.maxPingPeriodMs),
    };
  }

  #add(consumer: Consumer, connection: Connection): void {
    const { consumers } = this.#parts;
    consumers.add(consumer);
    connection.once('close', () => consumers.delete(consumer));
    if (this.#isClosing) consumer.close('shutdown');
  }

  #rejection(thrown: unknown, request: IncomingMessage): Rejection {
    const rejection = rejectionFor(thrown, request);
    if (rejection.status === 500) this.#parts.logger.error('a proxy could not be connected', { error: thrown });
    return rejection;
  }
}

const whenClosed = (connection: Connection): Promise<void> =>
  new Promise(resolve => {
    if (connection.closed) resolve();
    else connection.once('close', () => resolve());
  });
