/** What stands in place of a secret. */
export const redacted = '***';

const secretKey =
  /(token|password|passwd|passphrase|authorization|secret|cookie|credential|api-?key|private-?key|kubeconfig)s?$/i;
const maxDepth = 6;

/** True when what is stored under this key should not be seen: `token`, `clientSecret`, `Authorization`, … */
export const isSecretKey = (key: string): boolean => secretKey.test(key);

/** Hides passwords inside addresses, and bearer or basic credentials, wherever they stand in a text. */
export function maskSecrets(text: string): string {
  return (
    text
      .replace(/(:\/\/[^\s/?#:@]*):[^\s/?#]*@/g, `$1:${redacted}@`)
      // Database passwords often hold characters that should have been escaped: hide up to the last "@".
      .replace(/(postgres(?:ql)?:\/\/[^\s/?#:@]*):\S*@/gi, `$1:${redacted}@`)
      .replace(/([?&;\s](?:password|passwd|sslpassword|token|secret)=)[^&;\s]*/gi, `$1${redacted}`)
      .replace(/\b(Bearer|Basic)\s+[\w~.+/=-]{6,}/gi, `$1 ${redacted}`)
  );
}

/** A copy fit for a log: secrets hidden, errors and dates readable, no cycles, nothing that JSON cannot say. */
export function redact(value: unknown, depth = 0): unknown {
  switch (typeof value) {
    case 'string':
      return maskSecrets(value);
    case 'bigint':
    case 'symbol':
    case 'function':
      return String(value);
    case 'number':
      return Number.isFinite(value) ? value : String(value);
    case 'object':
      return value === null ? null : redactObject(value, depth);
    case 'boolean':
    case 'undefined':
      return value;
  }
}

function redactObject(value: object, depth: number): unknown {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? String(value) : value.toISOString();
  if (value instanceof Uint8Array) return `${value.length} bytes`;
  if (depth >= maxDepth) return '…';
  if (value instanceof Error) return redactError(value, depth);
  if (Array.isArray(value)) return value.map(item => redact(item, depth + 1));
  const entries =
    value instanceof Map
      ? [...value.entries()].map(([key, item]) => [String(key), item] as const)
      : Object.entries(value);
  return Object.fromEntries(entries.map(([key, item]) => [key, redactField(key, item, depth + 1)]));
}

/** Numbers and truth values are no secrets: `tokens: 3`, `hasPassword: true`. */
export function redactField(key: string, value: unknown, depth = 0): unknown {
  const mayBeSecret = value !== null && value !== undefined && typeof value !== 'number' && typeof value !== 'boolean';
  return mayBeSecret && isSecretKey(key) ? redacted : redact(value, depth);
}

function redactError(error: Error & { readonly code?: unknown; readonly hint?: unknown }, depth: number): unknown {
  const { code, hint, cause } = error;
  return {
    ...(typeof code === 'string' ? { code } : { name: error.name }),
    message: maskSecrets(error.message),
    ...(typeof hint === 'string' ? { hint: maskSecrets(hint) } : {}),
    ...(cause === undefined ? {} : { cause: redact(cause, depth + 1) }),
    // Errors with a code are expected and say what they mean; for all others we want to know where they come from.
    ...(typeof code === 'string' || error.stack === undefined ? {} : { stack: maskSecrets(error.stack) }),
  };
}
