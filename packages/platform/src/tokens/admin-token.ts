import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { ChandleryError } from '@chandlery/api';
import { permissionWarning, readFileIfPresent, writeFileAtomically } from '../files/private-files.ts';

/** The operator's token, good for everything. */
export interface AdminToken {
  readonly path: string;
  readonly token: string;
  /** What an operator should put right, one sentence each. */
  readonly warnings: readonly string[];
  /** Compares in a time that tells nothing about the token. */
  matches(candidate: string): boolean;
}

const digest = (text: string): Buffer => hash('sha256', text, 'buffer');

/** Reads `admin.token` in the data folder, making it on the first start. Rejects with `AdminTokenInvalid`. */
export function openAdminToken(dataFolder: string): AdminToken {
  const path = join(dataFolder, 'admin.token');
  const token = readFileIfPresent(path)?.trim() ?? createToken(dataFolder, path);
  if (!/^[\w~.+/-]{32,}=*$/.test(token)) throw invalidToken(path);
  const expected = digest(token);
  const warning = permissionWarning(path);
  return {
    path,
    token,
    warnings: warning === undefined ? [] : [warning],
    // Equal lengths for the comparison, whatever was presented.
    matches: candidate => timingSafeEqual(digest(candidate), expected),
  };
}

function createToken(dataFolder: string, path: string): string {
  const token = randomBytes(32).toString('base64url');
  mkdirSync(dataFolder, { recursive: true });
  writeFileAtomically(path, `${token}\n`);
  return token;
}

const invalidToken = (path: string): ChandleryError =>
  new ChandleryError('AdminTokenInvalid', `${path} does not hold a token of at least 32 characters`, {
    hint: 'Delete the file to get a new token at the next start, or restore it from a backup.',
  });
