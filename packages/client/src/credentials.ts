import { bearerToken } from './bearer-token.ts';
import type { ClientCertificate, ConnectionOptions, Impersonation } from './connection.ts';
import { ExecCredentialSource } from './exec-credentials.ts';

/** What proves who we are in the next request. */
export interface Credentials {
  readonly authorization?: string;
  readonly clientCertificate?: ClientCertificate;
}

/** Where credentials come from. */
export interface CredentialSource {
  current(): Promise<Credentials>;
  /** Takes note that the server does not accept what was sent; true when the next credentials may be others. */
  refused(sent: Credentials): Promise<boolean>;
}

/** The credentials of a connection. */
export function credentialsOf(connection: ConnectionOptions): CredentialSource {
  return connection.exec === undefined ? given(connection) : fromPlugin(new ExecCredentialSource(connection.exec));
}

function given(connection: ConnectionOptions): CredentialSource {
  const { clientCertificate, basicAuth } = connection;
  const bearerOf = bearerToken(connection);
  const certificate = clientCertificate === undefined ? {} : { clientCertificate };
  const basic = basicAuth === undefined ? {} : { authorization: `Basic ${encode(basicAuth)}` };
  const current = async (): Promise<Credentials> => ({ ...basic, ...certificate, ...bearer(await bearerOf.current()) });
  return {
    current,
    // A file may have got its next token since it was read. Another request may have read that one already, so what
    // counts is what this one has sent.
    refused: async sent => {
      bearerOf.forget();
      return (await current()).authorization !== sent.authorization;
    },
  };
}

const fromPlugin = (source: ExecCredentialSource): CredentialSource => ({
  current: async () => {
    const { token, clientCertificate } = await source.current();
    return { ...bearer(token), ...(clientCertificate === undefined ? {} : { clientCertificate }) };
  },
  refused: async () => {
    source.forget();
    return true;
  },
});

const bearer = (token: string | undefined): Credentials =>
  token === undefined ? {} : { authorization: `Bearer ${token}` };

const encode = ({ username, password }: { readonly username: string; readonly password: string }): string =>
  Buffer.from(`${username}:${password}`).toString('base64');

/** The headers of impersonation. */
export function impersonationHeaders(impersonate: Impersonation | undefined): Record<string, string | string[]> {
  if (impersonate === undefined) return {};
  const { user, uid, groups = [], extra = {} } = impersonate;
  return {
    'impersonate-user': user,
    ...(uid === undefined ? {} : { 'impersonate-uid': uid }),
    ...(groups.length === 0 ? {} : { 'impersonate-group': [...groups] }),
    ...Object.fromEntries(
      Object.entries(extra).map(([key, values]) => [`impersonate-extra-${encodeURIComponent(key)}`, [...values]]),
    ),
  };
}
