import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { createHttpHost, silentLogger as silentHttpLogger } from '@chandlery/http';
import { silentLogger } from '@chandlery/platform';
import { WebSocket } from 'ws';
import type { NotificationRow, Registry } from '../../model/rows.ts';
import { seedRow, startTestRegistry, type TestRegistry } from '../../test-registry.ts';
import { startAuthenticator } from '../authentication/test-authentication.ts';
import { createNotifications, type NotificationsOptions } from './create-notifications.ts';

// Helpers for the tests of this folder.

/** A server that notifies, on a registry. */
export interface NotificationServer extends AsyncDisposable {
  /** Of the endpoint, without the scheme. */
  readonly address: string;
}

/** Another server on the same registry is another replica. */
export async function startServer(
  { registry, client }: Pick<TestRegistry, 'registry' | 'client'>,
  settings: Partial<NotificationsOptions['settings']> = {},
): Promise<NotificationServer> {
  await using stack = new AsyncDisposableStack();
  const host = createHttpHost({ logger: silentHttpLogger, readiness: async () => [] });
  stack.defer(() => host.close({ graceMs: 0 }));
  const notifications = stack.use(
    createNotifications({
      registry,
      client,
      authenticator: startAuthenticator(registry),
      settings: { maxPingPeriodMs: 30_000, notificationQueueSize: 100, ...settings },
      logger: silentLogger,
    }),
  );
  host.upgradeUnder('/v1/notifications', notifications.upgrade);
  host.handleUnder('/v1/notifications', notifications.stream);
  const { port } = await host.listenPlain({ port: 0 });
  const all = stack.move();
  return { address: `127.0.0.1:${port}/v1/notifications`, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

/** A registry with a server. */
export async function startNotifications(settings: Partial<NotificationsOptions['settings']> = {}) {
  await using stack = new AsyncDisposableStack();
  const test = stack.use(await startTestRegistry());
  const server = stack.use(await startServer(test, settings));
  const all = stack.move();
  return { ...test, ...server, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

/** The fields of a message that tests read. */
export interface Message {
  readonly id?: string;
  readonly revision?: number;
  readonly platform_id?: string;
  readonly acked?: number;
}

/** The client end of a WebSocket, which collects messages. */
export interface Proxy extends Disposable {
  readonly socket: WebSocket;
  readonly headers: IncomingMessage['headers'];
  readonly messages: Message[];
  /** Resolves with all messages when there are so many. */
  heard(count: number): Promise<readonly Message[]>;
}

/** Connects; rejects with the status when refused. */
export async function connectProxy(
  address: string,
  { authorization, revision, agentVersion }: ProxyOptions,
): Promise<Proxy> {
  const query = revision === undefined ? '' : `?last_notification_revision=${revision}`;
  const headers = {
    ...(authorization === undefined ? {} : { authorization }),
    ...(agentVersion === undefined ? {} : { 'X-Peripli-Agent-Version': agentVersion }),
  };
  const socket = new WebSocket(`ws://${address}${query}`, { headers });
  const messages: Message[] = [];
  socket.on('message', data => messages.push(JSON.parse((data as Buffer).toString()) as Message));
  const greeting = await greetingOf(socket);
  const heard = async (count: number) => {
    while (messages.length < count) await once(socket, 'message');
    return messages;
  };
  return { socket, headers: greeting.headers, messages, heard, [Symbol.dispose]: () => socket.terminate() };
}

interface ProxyOptions {
  readonly authorization?: string | undefined;
  readonly revision?: number | string | undefined;
  readonly agentVersion?: string;
}

function greetingOf(socket: WebSocket): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    let greeting: IncomingMessage;
    socket
      .on('upgrade', response => {
        greeting = response;
      })
      .on('open', () => resolve(greeting))
      .on('unexpected-response', (_request, response) => void readRejection(response).then(reject))
      .on('error', reject);
  });
}

/** A rejected connection attempt. */
export class Rejected extends Error {
  readonly status: number | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;

  constructor({ statusCode, headers }: IncomingMessage, body: string) {
    super(`refused with ${statusCode}`);
    this.status = statusCode;
    this.headers = headers;
    this.body = body;
  }
}

async function readRejection(response: IncomingMessage): Promise<Rejected> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return new Rejected(response, Buffer.concat(chunks).toString());
}

/** Makes a notification: for some platforms, or for all. */
export const notify = (
  registry: Registry,
  platformIds?: string[],
  payload: Record<string, string> = { text: 'ä' },
): Promise<NotificationRow> =>
  seedRow(registry, 'notifications', {
    spec: {
      resource: '/v1/service_brokers',
      type: 'MODIFIED',
      resourceId: 'some-broker',
      correlationId: 'some-request',
      payload,
      ...(platformIds === undefined ? {} : { platformIds }),
    },
  });
