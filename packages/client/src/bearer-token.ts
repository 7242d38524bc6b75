import { readFile } from 'node:fs/promises';
import { kubeconfigInvalid } from './client-errors.ts';
import type { ConnectionOptions } from './connection.ts';

/** Rotated tokens stay valid for a while after their successor is written, so this need not be exact. */
const rereadMs = 60_000;

/** The token to send with requests. */
export interface BearerToken {
  /** Undefined when none is configured. */
  current(): Promise<string | undefined>;
  /** Lets the next call read the token again where it can have changed. */
  forget(): void;
}

/** The token of a connection. One from a file is kept for a minute, and longer while the file cannot be read. */
export function bearerToken({ token, tokenFile }: ConnectionOptions, now: () => number = Date.now): BearerToken {
  if (tokenFile === undefined) return { current: async () => token, forget: () => {} };
  let known = token;
  let readAt = Number.NEGATIVE_INFINITY;
  return {
    current: async () => {
      if (now() - readAt < rereadMs) return known;
      known = (await readToken(tokenFile, known)) || known;
      readAt = now();
      return known;
    },
    forget: () => {
      readAt = Number.NEGATIVE_INFINITY;
    },
  };
}

async function readToken(path: string, fallback: string | undefined): Promise<string> {
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch (cause) {
    if (fallback !== undefined) return fallback;
    const hint = 'Check that what writes the file has done so, and that this user may read it.';
    throw kubeconfigInvalid('with a tokenFile', `the file ${path} cannot be read`, { hint, cause });
  }
}
