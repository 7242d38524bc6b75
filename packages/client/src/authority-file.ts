import { readFile } from 'node:fs/promises';
import { kubeconfigInvalid } from './client-errors.ts';
import type { ConnectionOptions } from './connection.ts';

/** A new authority is trusted long before it issues, so this need not be exact. */
const rereadMs = 60_000;

/**
 * Returns whom a connection trusts, PEM. What a file says is kept for a minute, and longer while the file cannot be read:
 * a certificate authority is replaced while programs run.
 */
export function authorityOf(
  { caPem, caFile }: Pick<ConnectionOptions, 'caPem' | 'caFile'>,
  now: () => number = Date.now,
): () => Promise<string | undefined> {
  if (caFile === undefined) return async () => caPem;
  let known = caPem;
  let readAt = Number.NEGATIVE_INFINITY;
  return async () => {
    if (now() - readAt < rereadMs) return known;
    known = await readAuthority(caFile, known);
    readAt = now();
    return known;
  };
}

async function readAuthority(path: string, fallback: string | undefined): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    if (fallback !== undefined) return fallback;
    throw kubeconfigInvalid('with a certificate-authority', `the file ${path} cannot be read`, { cause });
  }
}
