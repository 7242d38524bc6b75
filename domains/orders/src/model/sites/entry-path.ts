/** The longest path of a file in a site. */
const maxPathBytes = 1024;

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it finds.
const unusable = /[\u0000-\u001f\u007f\\\ufffd]/;

/**
 * Returns the path of an entry of an archive, relative to its root and without `.` and empty parts; empty for the root.
 * Throws an error with the reason for paths that point elsewhere or cannot be requested.
 */
export function entryPath(name: string): string {
  if (name.startsWith('/') || /^[a-z]:/i.test(name)) throw new Error('its path is absolute');
  if (unusable.test(name)) throw new Error('its path has characters that are not allowed');
  if (Buffer.byteLength(name) > maxPathBytes) throw new Error(`its path is longer than ${maxPathBytes} bytes`);
  const parts = name.split('/').filter(part => part !== '' && part !== '.');
  if (parts.includes('..')) throw new Error('its path points to a parent folder');
  return parts.join('/');
}

/** Returns the folders that a path is in, without the root. */
export function parentFolders(path: string): readonly string[] {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_part, at) => parts.slice(0, at + 1).join('/'));
}
