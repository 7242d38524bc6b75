import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Every spelling under which a secret text could lie somewhere. */
export function spellingsOf(marker: string): readonly Buffer[] {
  const bytes = Buffer.from(marker);
  const base64 = [0, 1, 2].map(shift => {
    // Base64 of a text inside a longer one depends on where it starts; the edges belong to its neighbours.
    const text = Buffer.concat([Buffer.alloc(shift), bytes])
      .toString('base64')
      .replace(/=+$/, '');
    return text.slice(shift === 0 ? 0 : 4, -3);
  });
  const texts = [marker, ...base64, bytes.toString('hex'), bytes.toString('hex').toUpperCase()];
  return texts.flatMap(text => [Buffer.from(text), Buffer.from(text, 'utf16le')]);
}

/** The files below a folder that hold any spelling of any marker. */
export async function filesWith(folder: string, markers: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const path of await filesBelow(folder)) {
    const bytes = await readFile(path);
    if (holdsAny(bytes, markers)) found.push(path);
  }
  return found;
}

/** Whether bytes hold any spelling of any marker. */
export const holdsAny = (bytes: Uint8Array, markers: readonly string[]): boolean => {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return markers.some(marker => spellingsOf(marker).some(spelling => buffer.includes(spelling)));
};

/** All plain files below a folder. */
export async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter(entry => entry.isFile()).map(entry => join(entry.parentPath, entry.name));
}

/** Permission bits by path, of a folder and all below it. */
export async function modesBelow(folder: string): Promise<ReadonlyMap<string, number>> {
  const entries = await readdir(folder, { recursive: true });
  const paths = [folder, ...entries.map(entry => join(folder, entry))];
  const modes = await Promise.all(paths.map(async path => [path, (await stat(path)).mode & 0o777] as const));
  return new Map(modes);
}
