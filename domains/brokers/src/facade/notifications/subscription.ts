import type { IncomingMessage } from 'node:http';
import { notFound, smError } from '../../errors.ts';

const servedPath = '/v1/notifications';

/** Throws `NotFound` or `MethodNotAllowed` for what is not served. */
export function checkTarget({ method, url = '' }: IncomingMessage): void {
  if (url.split('?', 1)[0] !== servedPath) throw notFound('address');
  if (method !== 'GET') throw smError('MethodNotAllowed', `${method} is not served here`);
}

/** The revision to resume from; undefined: only new notifications. Throws `BadRequest`. */
export function requestedRevision({ url = '', headers }: IncomingMessage): number | undefined {
  const query = new URLSearchParams(url.split('?').slice(1).join('?'));
  // A browser that comes back says so by the header, with the address of the first time.
  const text = headers['last-event-id'] ?? query.get('last_notification_revision') ?? '';
  if (text === '') return undefined;
  if (typeof text === 'string' && /^[+-]?\d+$/.test(text)) return Number(text);
  const field = 'last_notification_revision';
  throw smError('BadRequest', `${field} must be a number`, { field });
}

/** What a proxy calls itself, if it says so. */
export function agentVersionOf({ headers }: IncomingMessage): string | undefined {
  const version = headers['x-peripli-agent-version'];
  return typeof version === 'string' && version !== '' ? version.slice(0, maxVersionLength) : undefined;
}

const maxVersionLength = 128;

/** A time as Go writes it: `30s`, `1.5s`, `200ms`. */
export const goDuration = (ms: number): string => (ms >= 1000 ? `${ms / 1000}s` : `${ms}ms`);

/** Ways of streaming without a WebSocket. */
export type StreamFormat = 'application/x-ndjson' | 'text/event-stream';

const streamFormats: readonly StreamFormat[] = ['application/x-ndjson', 'text/event-stream'];

/** The way of streaming that a request accepts. Throws `WebsocketUpgradeError` when it accepts none. */
export function wantedFormat({ headers }: IncomingMessage): StreamFormat {
  const accepted = (headers.accept ?? '').split(',').map(part => part.split(';')[0]?.trim().toLowerCase());
  const format = streamFormats.find(each => accepted.includes(each));
  if (format !== undefined) return format;
  throw smError('WebsocketUpgradeError', `connect by WebSocket, or accept ${streamFormats.join(' or ')} for a stream`);
}
