import { isLoopbackHost } from '@chandlery/platform';
import type { DocumentValue } from './document-value.ts';

/** An address over HTTPS, or over plain HTTP on loopback, without credentials. */
export function readUrl(value: DocumentValue): string {
  const text = value.text();
  if (text !== '') checkUrl(value, text);
  return text;
}

export const readOptionalUrl = (value: DocumentValue): string | undefined =>
  value.isAbsent ? undefined : readUrl(value);

function checkUrl(value: DocumentValue, text: string): void {
  const url = URL.parse(text);
  if (url === null || !['http:', 'https:'].includes(url.protocol))
    return value.reject('must be an address that begins with https://');
  if (url.username !== '' || url.password !== '') value.reject('must not hold a user name or a password');
  if (url.protocol === 'http:' && !isLoopbackHost(url.hostname))
    value.reject('must begin with https://; plain http is accepted on loopback only');
}
