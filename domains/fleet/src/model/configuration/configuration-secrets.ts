/** The fields of a document that are secrets, and the type of the section that needs them. */
const secretFields = [
  { section: 'dns', key: 'secret_access_key', type: 'route53' },
  { section: 'dns', key: 'key_secret', type: 'rfc2136' },
  { section: 'sso', key: 'client_secret', type: 'keycloak' },
] as const;

/** Stands in for a secret that is not needed. */
const hiddenSecret = '(hidden)';

type Document = Readonly<Record<string, unknown>>;

/** Secrets of a document by path, such as `sso.client_secret`. */
export type ConfigurationSecrets = Readonly<Record<string, string>>;

/** A document without its secrets, and the secrets. */
export interface SplitDocument {
  readonly document: Document;
  readonly secrets: ConfigurationSecrets;
}

/** Takes the secrets out of a document. */
export function splitSecrets(document: Document): SplitDocument {
  const secrets: Record<string, string> = {};
  const rest: Record<string, unknown> = { ...document };
  for (const { section, key } of secretFields) {
    const fields = rest[section];
    if (!isObject(fields) || typeof fields[key] !== 'string') continue;
    secrets[`${section}.${key}`] = fields[key];
    const { [key]: _, ...others } = fields;
    rest[section] = others;
  }
  return { document: rest, secrets };
}

/** Puts secrets back where {@link splitSecrets} took them from. */
export function joinSecrets(document: Document, secrets: ConfigurationSecrets): Document {
  const whole: Record<string, unknown> = { ...document };
  for (const { section, key } of secretFields) {
    const secret = secrets[`${section}.${key}`];
    const fields = whole[section];
    if (secret !== undefined && isObject(fields)) whole[section] = { ...fields, [key]: secret };
  }
  return whole;
}

/** Stand-ins for the secrets that a document needs, for readers to whom secrets do not matter. */
export function hiddenSecrets(document: Document): ConfigurationSecrets {
  const isNeeded = ({ section, type }: (typeof secretFields)[number]): boolean => {
    const fields = document[section];
    return isObject(fields) && fields['type'] === type;
  };
  return Object.fromEntries(
    secretFields.filter(isNeeded).map(({ section, key }) => [`${section}.${key}`, hiddenSecret]),
  );
}

const isObject = (value: unknown): value is Document =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
