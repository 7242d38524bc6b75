/** The fields of a document that are secrets, as section and key. */
const secretFields = [
  ['dns', 'secret_access_key'],
  ['dns', 'key_secret'],
  ['sso', 'client_secret'],
] as const;

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
  for (const [section, key] of secretFields) {
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
  for (const [section, key] of secretFields) {
    const secret = secrets[`${section}.${key}`];
    const fields = whole[section];
    if (secret !== undefined && isObject(fields)) whole[section] = { ...fields, [key]: secret };
  }
  return whole;
}

const isObject = (value: unknown): value is Document =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
