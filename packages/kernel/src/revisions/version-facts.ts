import type { StoredValue } from '../store/store.ts';

/** What decides whether a superseded version is kept, read from its bytes without parsing them. */
export interface VersionFacts {
  /** The digits of metadata.generation. Undefined: the object has none. */
  readonly generation: string | undefined;
  /** The latest time, in milliseconds, that the owners of fields note. Undefined: the object has no managedFields. */
  readonly writtenAt: number | undefined;
}

/** Unescaped quotes: never within a string. Entries are stored with these two fields side by side. */
const ownerTime = Buffer.from('Z","fieldsType":"FieldsV1"');
const generationKey = Buffer.from(',"generation":');
const timeLength = '2026-01-01T00:00:00'.length;
const maxDigits = 16;

/** Reads the facts of a plain value. */
export function readVersionFacts({ bytes }: StoredValue): VersionFacts {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return { generation: generationOf(text), writtenAt: latestOwnerTime(text) };
}

/** A label may have the same name, before it, and a text. */
function generationOf(text: Buffer): string | undefined {
  for (let at = text.indexOf(generationKey); at >= 0; at = text.indexOf(generationKey, at + generationKey.length)) {
    const start = at + generationKey.length;
    const digits = /^\d+/.exec(text.toString('latin1', start, start + maxDigits))?.[0];
    if (digits !== undefined) return digits;
  }
  return undefined;
}

function latestOwnerTime(text: Buffer): number | undefined {
  let latest = '';
  for (let at = text.indexOf(ownerTime); at >= 0; at = text.indexOf(ownerTime, at + ownerTime.length)) {
    const time = text.toString('latin1', at - timeLength, at);
    if (time > latest) latest = time;
  }
  const parsed = Date.parse(`${latest}Z`);
  return Number.isNaN(parsed) ? undefined : parsed;
}
