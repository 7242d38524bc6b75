import { isIP, isIPv4, isIPv6 } from 'node:net';
import { isCalendarDay, isTime, tryParseQuantity, validateDnsLabel, validateDnsSubdomain } from '@chandlery/api';

/** True when a text has the format. Every pattern below runs in linear time: tenants supply the texts. */
export type FormatCheck = (text: string) => boolean;

const matches =
  (pattern: RegExp): FormatCheck =>
  text =>
    pattern.test(text);

const uuid = (version: string, variant = '[0-9a-f]'): FormatCheck =>
  matches(new RegExp(`^[0-9a-f]{8}-?[0-9a-f]{4}-?${version}[0-9a-f]{3}-?${variant}[0-9a-f]{3}-?[0-9a-f]{12}$`, 'i'));

const hostnamePattern = /^[a-z0-9_](?:[a-z0-9_-]{0,62})(?:\.[a-z0-9_][a-z0-9_-]{0,62})*\.?$/i;
const isHostname: FormatCheck = text => text.length <= 255 && hostnamePattern.test(text);

function isEmail(text: string): boolean {
  const at = text.lastIndexOf('@');
  return at > 0 && at < text.length - 1 && /^[^\s@<>()[\],;:\\"]+$/.test(text.slice(0, at) + text.slice(at + 1));
}

function isCidr(text: string): boolean {
  const [address = '', bits = '', ...rest] = text.split('/');
  const version = isIP(address);
  return rest.length === 0 && version !== 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128);
}

const isBase64: FormatCheck = text => text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);

/** A Go duration (`1h30m`), or a number with a unit in words (`3 days`). */
const durationPattern =
  /^[+-]?(?:0|(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+|\d+\s*(?:ns|us|µs|ms|s|m|h|d|w|(?:nano|micro|milli|second|sec|minute|min|hour|hr|day|week)[a-z]*))$/i;

/** Rules turn durations into numbers, digit by digit. */
const maxDurationLength = 1000;

const isUri: FormatCheck = text => !/\s/.test(text) && (text.startsWith('/') || URL.canParse(text));

const digitsOf = (text: string): string => text.replace(/[\s-]/g, '');

function isIsbn10(text: string): boolean {
  const digits = digitsOf(text);
  if (!/^\d{9}[\dX]$/i.test(digits)) return false;
  const sum = Array.from(digits).reduce(
    (total, digit, index) => total + (digit === 'X' ? 10 : Number(digit)) * (10 - index),
    0,
  );
  return sum % 11 === 0;
}

function isIsbn13(text: string): boolean {
  const digits = digitsOf(text);
  if (!/^\d{13}$/.test(digits)) return false;
  return (
    Array.from(digits).reduce((total, digit, index) => total + Number(digit) * (index % 2 === 0 ? 1 : 3), 0) % 10 === 0
  );
}

function isCreditCard(text: string): boolean {
  const digits = digitsOf(text);
  if (!/^\d{12,19}$/.test(digits)) return false;
  const sum = Array.from(digits)
    .reverse()
    .reduce((total, digit, index) => {
      const doubled = Number(digit) * (index % 2 === 0 ? 1 : 2);
      return total + (doubled > 9 ? doubled - 9 : doubled);
    }, 0);
  return sum % 10 === 0;
}

/** The text formats that Kubernetes checks, and `quantity` for its built-in kinds. Any other format is documentation. */
export const textFormats: ReadonlyMap<string, FormatCheck> = new Map<string, FormatCheck>([
  ['bsonobjectid', matches(/^[0-9a-f]{24}$/i)],
  ['byte', isBase64],
  ['cidr', isCidr],
  ['creditcard', isCreditCard],
  ['date', isCalendarDay],
  ['date-time', isTime],
  ['datetime', isTime],
  ['duration', text => text.length <= maxDurationLength && durationPattern.test(text)],
  ['email', isEmail],
  ['hexcolor', matches(/^#?(?:[0-9a-f]{3}|[0-9a-f]{6})$/i)],
  ['hostname', isHostname],
  ['ipv4', text => isIPv4(text)],
  ['ipv6', text => isIPv6(text)],
  ['isbn', text => isIsbn10(text) || isIsbn13(text)],
  ['isbn10', isIsbn10],
  ['isbn13', isIsbn13],
  ['k8s-long-name', text => validateDnsSubdomain(text).length === 0],
  ['k8s-short-name', text => validateDnsLabel(text).length === 0],
  ['mac', matches(/^[0-9a-f]{2}(?:([:-])[0-9a-f]{2})(?:\1[0-9a-f]{2}){4}$/i)],
  ['quantity', text => tryParseQuantity(text) !== undefined],
  ['rgbcolor', matches(/^rgb\(\s*\d{1,3}\s*,\s*\d{1,3}\s*,\s*\d{1,3}\s*\)$/i)],
  ['ssn', matches(/^\d{3}[- ]?\d{2}[- ]?\d{4}$/)],
  ['uri', isUri],
  ['uuid', uuid('[0-9a-f]')],
  ['uuid3', uuid('3')],
  ['uuid4', uuid('4', '[89ab]')],
  ['uuid5', uuid('5', '[89ab]')],
]);

const int32Limit = 2 ** 31;
const maxFloat = 3.4028234663852886e38;

/** The number formats. A bigint is within int64 and beyond int32, always. */
export const numberFormats: ReadonlyMap<string, (value: number | bigint) => boolean> = new Map([
  ['int32', (value: number | bigint) => value >= -int32Limit && value < int32Limit],
  ['int64', (value: number | bigint) => typeof value === 'bigint' || Math.abs(value) < 2 ** 63],
  ['float', (value: number | bigint) => Math.abs(Number(value)) <= maxFloat],
]);
