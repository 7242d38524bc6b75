import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ChandleryError } from '@chandlery/api';
import { permissionWarning, readFileIfPresent, writeFileAtomically } from '../files/private-files.ts';

/** The operator's token, good for everything. */
export interface AdminToken {
  readonly path: string;
  readonly token: string;
  /** What an operator should put right, one sentence each. */
  readonly warnings: readonly string[];
  /** Compares in constant time. */
  matches(candidate: string): boolean;
}

const digest = (text: string): Buffer => hash('sha256', text, 'buffer');

/** The name of the token's file, in the data folder and in its folder `keys`. */
export const adminTokenFile = 'admin.token';

/**
 * Reads the administrator's token, making it on the first start. It lives in `keys/`, which replicas share and a backup
 * holds; `admin.token` in the data folder is a copy for people and scripts. A data folder that has only the copy was
 * made before the token was among the keys: that token is kept. Rejects with `AdminTokenInvalid`.
 */
export function openAdminToken(dataFolder: string): AdminToken {
  const path = join(dataFolder, adminTokenFile);
  const source = join(dataFolder, 'keys', adminTokenFile);
  const [kept, copy] = [source, path].map(file => readFileIfPresent(file)?.trim());
  const token = kept ?? copy ?? randomBytes(32).toString('base64url');
  if (!/^[\w~.+/-]{32,}=*$/.test(token)) throw invalidToken(kept === undefined ? path : source);
  if (kept === undefined) writeToken(source, token);
  if (copy !== token) writeToken(path, token);
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

function writeToken(path: string, token: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileAtomically(path, `${token}\n`);
}

const invalidToken = (path: string): ChandleryError =>
  new ChandleryError('AdminTokenInvalid', `${path} does not hold a token of at least 32 characters`, {
    hint: 'Restore it from a backup, or delete admin.token in the data folder and in its folder keys to get a new token.',
  });
