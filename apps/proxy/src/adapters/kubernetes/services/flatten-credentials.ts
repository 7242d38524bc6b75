import type { JsonObject } from '@chandlery/api';

/**
 * Credentials as the data of a secret: one key for each at the top, texts as they are, everything else as JSON. Characters
 * that a key cannot have become `_`.
 */
export function flattenCredentials(credentials: JsonObject): Record<string, string> {
  const entries = Object.entries(credentials).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(entries.map(([key, value]) => [key.replaceAll(/[^-._a-zA-Z0-9]/g, '_'), encoded(value)]));
}

const encoded = (value: unknown): string =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64');
