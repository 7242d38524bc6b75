const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The URN that a text means: a URN of the kind, or its UUID alone; undefined for anything else. */
export function urnOf(kind: 'service' | 'order' | 'artifact', text: string): string | undefined {
  const prefix = `urn:ivcap:${kind}:`;
  const uuid = text.startsWith(prefix) ? text.slice(prefix.length) : text;
  return uuidPattern.test(uuid) ? `${prefix}${uuid.toLowerCase()}` : undefined;
}

/** A value as text in a filter of a list. */
export const quoted = (text: string): string => `'${text.replaceAll(/['\\]/g, letter => `\\${letter}`)}'`;
