import type { IncomingMessage } from 'node:http';
import { type TLSSocket } from 'node:tls';

/** By what callers are known. */
export type BrokerAuth =
  | { readonly type: 'basic'; readonly username: string; readonly password: string }
  | { readonly type: 'bearer'; readonly token: string }
  /** By a client certificate alone; needs `isSecure`. */
  | { readonly type: 'certificate' }
  | { readonly type: 'none' };

/** Decides once what each kind of credentials looks like in a request. */
export function authChecker(auths: readonly BrokerAuth[]): (request: IncomingMessage) => boolean {
  const headers = new Set(auths.map(headerOf));
  const takesCertificate = auths.some(({ type }) => type === 'certificate');
  const takesAll = auths.some(({ type }) => type === 'none');
  return request =>
    takesAll ||
    headers.has(request.headers.authorization) ||
    (takesCertificate && (request.socket as TLSSocket).authorized);
}

function headerOf(auth: BrokerAuth): string | undefined | null {
  switch (auth.type) {
    case 'basic':
      return `Basic ${Buffer.from(`${auth.username}:${auth.password}`).toString('base64')}`;
    case 'bearer':
      return `Bearer ${auth.token}`;
    case 'certificate':
    case 'none':
      return null;
  }
}
