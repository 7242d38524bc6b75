import type { IncomingHttpHeaders } from 'node:http';
import { badRequest, OrdersError } from '../../../errors.ts';

/** The version of the TUS protocol that is spoken (https://tus.io/protocols/resumable-upload). */
export const tusVersion = '1.0.0';

/** Headers of responses that have to do with uploads. */
export const tusHeaders = (more: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> => ({
  'tus-resumable': tusVersion,
  ...more,
});

/** What a client may know before it uploads. */
export const tusOptions = (maxBytes: number): Readonly<Record<string, string>> =>
  tusHeaders({
    'tus-version': tusVersion,
    'tus-max-size': String(maxBytes),
    'tus-extension': 'creation,creation-with-upload,creation-defer-length,expiration,termination',
  });

/** Throws `unsupported-tus-version` when the client speaks another version; it may speak none. */
export function checkTusVersion(headers: IncomingHttpHeaders): void {
  const version = headers['tus-resumable'];
  if (version === undefined || version === tusVersion) return;
  throw new OrdersError('unsupported-tus-version', `The version of TUS must be ${tusVersion}`, {
    name: 'tus-resumable',
    value: version,
    headers: { 'tus-version': tusVersion },
  });
}

/** Reads a header that is a number of bytes. Throws `bad-request`. */
export function readBytes(headers: IncomingHttpHeaders, name: string): number | undefined {
  const text = headers[name];
  if (text === undefined || text === '') return undefined;
  const bytes = typeof text === 'string' && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
  if (bytes === undefined) throw badRequest(`${name} must be a number of bytes`);
  return bytes;
}

/** Reads a header that is text; an empty one counts as absent. Throws `bad-request` for one that is too long. */
export function readText(headers: IncomingHttpHeaders, name: string, maxLength = 1024): string | undefined {
  const text = headers[name];
  if (typeof text !== 'string' || text === '') return undefined;
  if (text.length > maxLength) throw badRequest(`${name} is longer than ${maxLength} characters`);
  // Node reads headers as Latin-1, and clients send UTF-8.
  return Buffer.from(text, 'latin1').toString('utf8');
}
