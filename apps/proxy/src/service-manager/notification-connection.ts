import type { IncomingMessage } from 'node:http';
import { addAbortSignal } from 'node:stream';
import { getCACertificates } from 'node:tls';
import { ChandleryError } from '@chandlery/api';
import WebSocket from 'ws';
import { basicAuthorization } from '../http/http-caller.ts';
import { parseGoDuration } from '../model/go-duration.ts';
import type { BasicCredentials, NotificationMessage } from '../ports.ts';

export interface ConnectionOptions extends BasicCredentials {
  /** `https://sm.example`, without a slash at the end. */
  readonly url: string;
  readonly caPem?: string | undefined;
  /** From which revision on; undefined: from now on. */
  readonly revision: number | undefined;
  /** How long an answer to a ping may take. */
  readonly pongTimeoutMs: number;
  /** Servers that want to be pinged more often are refused. */
  readonly minPingPeriodMs: number;
  readonly agentVersion: string;
  readonly onMessage: (message: NotificationMessage) => void;
}

/** A connection that is open. */
export interface NotificationConnection extends Disposable {
  /** The newest revision there was at the start; undefined when there was none. */
  readonly newest: number | undefined;
  /** Resolves when the connection has ended, with why. */
  readonly ended: Promise<string>;
  /** Acknowledges the revision up to which everything is handled. */
  acknowledge(revision: number): void;
}

/** The error code by which the service manager reports that the platform was deleted. */
export const platformDeletedCode = 'PlatformDeleted';

const pingShare = 0.6;

/**
 * Connects to the stream of notifications. Rejects with code `Gone` when the revision can no longer be resumed from.
 */
export async function connectNotifications(options: ConnectionOptions): Promise<NotificationConnection> {
  const { url, revision, caPem, agentVersion } = options;
  const address = new URL(`${url.replace(/^http/, 'ws')}/v1/notifications`);
  if (revision !== undefined) address.searchParams.set('last_notification_revision', String(revision));
  const webSocket = new WebSocket(address, {
    headers: { authorization: basicAuthorization(options), 'x-peripli-agent-version': agentVersion },
    handshakeTimeout: 30_000,
    perMessageDeflate: false,
    ...(caPem === undefined ? {} : { ca: [...getCACertificates('default'), caPem] }),
  });
  // What comes in the same breath as the handshake must not be lost.
  webSocket.on('message', (data: Buffer, isBinary: boolean) => {
    const message = isBinary ? undefined : readMessage(data.toString());
    if (message !== undefined) options.onMessage(message);
  });
  const handshakeHeaders = await handshake(webSocket);
  try {
    return open(webSocket, readHandshake(handshakeHeaders, options), options);
  } catch (error) {
    webSocket.terminate();
    throw error;
  }
}

type Headers = Readonly<Record<string, string | string[] | undefined>>;

function handshake(webSocket: WebSocket): Promise<Headers> {
  return new Promise((resolve, reject) => {
    let headers: Headers = {};
    webSocket.once('upgrade', response => {
      headers = response.headers;
    });
    webSocket.once('open', () => resolve(headers));
    webSocket.once('unexpected-response', (request, response) => {
      void readErrorCode(response).then(code => {
        request.destroy();
        reject(rejectionOf(response.statusCode ?? 0, code));
      });
    });
    // Stays: an error without a listener would end the process.
    webSocket.on('error', cause => reject(connectionFailed(cause)));
  });
}

function connectionFailed(cause: NodeJS.ErrnoException): ChandleryError {
  const { code = '', message } = cause;
  // What OpenSSL says of a certificate has no other common word; refused connections begin with an E.
  const hint = /CERT|UNABLE_TO_|HOSTNAME/.test(code)
    ? 'Name the authority of the landscape, "ca.crt" of its data folder, with --service-manager-ca.'
    : 'See that the service manager runs at the address of --service-manager-url and can be reached from here.';
  return new ChandleryError('ConnectionFailed', `cannot connect to notifications: ${message}`, { hint, cause });
}

/** A status alone never means that the platform was deleted: anything between us and the service manager may send a 401. */
function rejectionOf(status: number, code: string | undefined): ChandleryError {
  if (status === 410)
    return new ChandleryError('Gone', 'the notifications since the last revision are not available any more');
  if (status === 401 && code === platformDeletedCode)
    return new ChandleryError(platformDeletedCode, 'the platform was deleted at the service manager');
  return new ChandleryError(
    'ConnectionRefused',
    `the service manager answered ${status} to the request for notifications`,
    status === 401 ? { hint: wrongCredentials } : {},
  );
}

const wrongCredentials =
  'Check user and password of the platform; "chandlery platform update NAME -c" at the service manager makes new ones.';

const maxErrorBytes = 16 * 1024;
const errorTimeoutMs = 5000;

/** The code in the body of an error response; undefined when it has none. */
async function readErrorCode(response: IncomingMessage): Promise<string | undefined> {
  try {
    let text = '';
    for await (const chunk of addAbortSignal(AbortSignal.timeout(errorTimeoutMs), response)) {
      text += String(chunk);
      if (text.length > maxErrorBytes) return undefined;
    }
    const { error } = JSON.parse(text) as { error?: unknown };
    return typeof error === 'string' ? error : undefined;
  } catch {
    return undefined;
  }
}

interface Handshake {
  readonly newest: number | undefined;
  readonly pingPeriodMs: number;
}

function readHandshake(headers: Headers, { minPingPeriodMs }: ConnectionOptions): Handshake {
  const { last_notification_revision: newestText, max_ping_period: periodText } = headers;
  const newest = newestText === undefined ? undefined : Number(newestText);
  if (newest !== undefined && !(Number.isSafeInteger(newest) && newest > 0))
    throw invalidHandshake('last_notification_revision');
  const pingPeriodMs = (parseGoDuration(String(periodText)) ?? 0) * pingShare;
  if (pingPeriodMs < minPingPeriodMs) throw invalidHandshake('max_ping_period');
  return { newest, pingPeriodMs };
}

const invalidHandshake = (header: string): ChandleryError =>
  new ChandleryError('InvalidAnswer', `the service manager sent no usable ${header} with its notifications`);

function open(
  webSocket: WebSocket,
  { newest, pingPeriodMs }: Handshake,
  { pongTimeoutMs }: ConnectionOptions,
): NotificationConnection {
  const deadline = setTimeout(() => webSocket.terminate(), pingPeriodMs + pongTimeoutMs).unref();
  const pings = setInterval(() => webSocket.ping(), pingPeriodMs);
  const onActivity = () => void deadline.refresh();
  webSocket.on('pong', onActivity).on('message', onActivity).on('ping', onActivity);
  const ended = new Promise<string>(resolve => {
    webSocket.once('close', (code, reason) => {
      clearTimeout(deadline);
      clearInterval(pings);
      resolve(`${code} ${reason.toString()}`.trim());
    });
  });
  return {
    newest,
    ended,
    acknowledge: revision => {
      if (webSocket.readyState === WebSocket.OPEN) webSocket.send(JSON.stringify({ ack: revision }));
    },
    [Symbol.dispose]: () => webSocket.terminate(),
  };
}

/** Undefined for whatever is not a notification, such as the answer to an acknowledgement. */
function readMessage(text: string): NotificationMessage | undefined {
  try {
    const { id = '', type = '', payload = {}, resource, revision } = JSON.parse(text) as Partial<NotificationMessage>;
    if (resource === undefined || revision === undefined || !Number.isSafeInteger(revision)) return undefined;
    return { id, type, payload, resource, revision };
  } catch {
    return undefined;
  }
}
