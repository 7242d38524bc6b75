/**
 * The object name of an id. Ids may hold any character, object names may not be `.` or `..` and hold no `/` and `%`:
 * whatever is not a letter, digit, `-`, `.` or `_` is written as `~` and two hexadecimal digits per UTF-8 byte.
 */
export function nameOfId(id: string): string {
  if (/^[A-Za-z0-9_-][A-Za-z0-9._-]*$/.test(id)) return id;
  if (id === '.' || id === '..') return id.replaceAll('.', '~2e');
  return id.replace(/[^A-Za-z0-9._-]/gu, escaped);
}

/** The way back; names that were not made from an id are ids themselves. */
export function idOfName(name: string): string {
  if (!name.includes('~')) return name;
  try {
    return decodeURIComponent(name.replace(/~(?=[0-9a-f]{2})/g, '%'));
  } catch {
    return name;
  }
}

const escaped = (character: string): string =>
  [...Buffer.from(character)].map(byte => `~${byte.toString(16).padStart(2, '0')}`).join('');
