/** The credentials that the service manager sends to a broker. */
export interface BrokerCredentials {
  readonly username?: string;
  readonly password?: string;
  readonly token?: string;
  readonly clientCertificate?: string;
  readonly clientKey?: string;
}

type SecretData = Readonly<Record<string, string>>;

const keys = [
  ['username', 'username'],
  ['password', 'password'],
  ['token', 'token'],
  ['clientCertificate', 'client_certificate'],
  ['clientKey', 'client_key'],
] as const;

/** Credentials as the data of their Secret. */
export const secretDataOf = (credentials: BrokerCredentials): SecretData =>
  Object.fromEntries(keys.flatMap(([field, key]) => pair(key, credentials[field])));

/** Credentials from the data of their Secret. */
export const credentialsOf = (data: SecretData = {}): BrokerCredentials =>
  Object.fromEntries(keys.flatMap(([field, key]) => pair(field, data[key])));

const pair = (name: string, value: string | undefined): [string, string][] =>
  value === undefined ? [] : [[name, value]];
