import { readFile } from 'node:fs/promises';
import { kubeconfigInvalid } from './client-errors.ts';
import type { ConnectionOptions } from './connection.ts';

/** Rotated tokens stay valid for a while after their successor is written, so this need not be exact. */
const rereadMs = 60_000;

/** Returns the token to send with the next request; undefined when none is configured. */
export type BearerToken = () => Promise<string | undefined>;

/** The token of a connection. One from a file is kept for a minute, and longer while the file cannot be read. */
export function bearerToken({ token, tokenFile }: ConnectionOptions, now: () => number = Date.now): BearerToken {
  if (tokenFile === undefined) return async () => token;
  let known = token;
  let readAt = Number.NEGATIVE_INFINITY;
  return async () => {
    if (now() - readAt < rereadMs) return known;
    known = (await readToken(tokenFile, known)) || known;
    readAt = now();
    return known;
  };
}

async function readToken(path: string, fallback: string | undefined): Promise<string> {
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch (cause) {
    if (fallback !== undefined) return fallback;
    throw kubeconfigInvalid('with a tokenFile', `the file ${path} cannot be read`, { cause });
  }
}
