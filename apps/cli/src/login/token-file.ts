import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ChandleryError } from '@chandlery/api';
import type { Io } from '../command.ts';
import { loginFolder, writeSecret } from './login-store.ts';
import type { OidcTokens } from './oidc-login.ts';

const pathOf = (io: Pick<Io, 'env'>, name: string): string =>
  join(loginFolder(io), 'tokens', `${encodeURIComponent(name)}.json`);

export const storeTokens = (io: Pick<Io, 'env'>, name: string, tokens: OidcTokens): void =>
  writeSecret(pathOf(io, name), JSON.stringify(tokens));

export function readTokens(io: Pick<Io, 'env'>, name: string): OidcTokens {
  const path = pathOf(io, name);
  if (existsSync(path)) return JSON.parse(readFileSync(path, 'utf8')) as OidcTokens;
  throw new ChandleryError('SignInFailed', `there is no sign-in "${name}"`, {
    hint: 'Sign in with "npx chandlery login".',
  });
}
