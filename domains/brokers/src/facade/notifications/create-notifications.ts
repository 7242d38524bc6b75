import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Client } from '@chandlery/client';
import type { CommonHeaders } from '@chandlery/http';
import type { Logger } from '@chandlery/platform';
import { follow } from '@chandlery/registry';
import { notifications as notificationKind } from '../../kinds/index.ts';
import type { Registry } from '../../model/rows.ts';
import type { BrokerSettings } from '../../settings.ts';
import type { Authenticator } from '../authentication/authenticator.ts';
import { Consumers } from './consumers.ts';
import { NotificationEndpoints } from './notification-endpoints.ts';
import { NotificationLog } from './notification-log.ts';
import { PlatformPresence } from './platform-presence.ts';

/** What notifications are made of. */
export interface NotificationsOptions {
  /** Of the logical cluster `brokersCluster`. */
  readonly client: Client;
  readonly registry: Registry;
  readonly authenticator: Authenticator;
  readonly settings: Pick<BrokerSettings, 'maxPingPeriodMs' | 'notificationQueueSize'>;
  readonly logger: Logger;
}

/**
 * Notifies the proxies of platforms of changes. To be disposed of before the registry and the host; disposing twice is
 * allowed.
 *
 * The server keeps no acknowledgements: a proxy resumes with the last revision that it has, so it should store a
 * revision after handling it, not on receipt. `{"ack": n}` on a WebSocket is confirmed with `{"acked": n}`.
 */
export interface Notifications extends AsyncDisposable {
  /** How many proxies are connected. */
  readonly connected: number;
  /** Takes a WebSocket upgrade of `/v1/notifications`. */
  readonly upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
  /** Answers any other request under `/v1/notifications`: a stream of lines or of server-sent events, for who accepts one. */
  readonly stream: (request: IncomingMessage, response: ServerResponse, common: CommonHeaders) => void;
}

/** Starts following notifications and accepting connections. */
export function createNotifications(options: NotificationsOptions): Notifications {
  const { client, registry, settings } = options;
  const logger = options.logger.child({ part: 'notifications' });
  const consumers = new Consumers();
  const log = new NotificationLog(registry.notifications, consumers.notify);
  const presence = new PlatformPresence({ registry, settings, logger });
  const stop = new AbortController();
  const following = follow({ client, ref: notificationKind.ref, follower: log, logger, signal: stop.signal });
  const stopListening = registry.platforms.listen(({ type, row }) => {
    consumers.check(row.id, type === 'removed' ? undefined : row);
    presence.changed(row);
  });
  const { authenticator } = options;
  const endpoints = new NotificationEndpoints({ authenticator, settings, logger, consumers, log, presence });
  return {
    get connected() {
      return consumers.size;
    },
    upgrade: (request, socket, head) => void endpoints.upgrade(request, socket, head),
    stream: (request, response, common) => void endpoints.stream(request, response, common),
    async [Symbol.asyncDispose]() {
      stop.abort();
      await Promise.all([following, endpoints.close()]);
      stopListening();
      await presence[Symbol.asyncDispose]();
    },
  };
}
