import { randomBytes, randomUUID } from 'node:crypto';

/** Where identifiers come from. Passed in, so that tests can predict them. */
export interface IdSource {
  /** A version 4 UUID. */
  uuid(): string;
  /** What Kubernetes appends to `generateName`. */
  nameSuffix(): string;
}

/** No vowels and no look-alikes, so that a suffix spells no word and can be read aloud. */
export const nameSuffixAlphabet = 'bcdfghjklmnpqrstvwxz2456789';
const suffixLength = 5;
/** Bytes at or above this would favour the first letters. */
const unbiasedLimit = 256 - (256 % nameSuffixAlphabet.length);

/** Real randomness. */
export const randomIds: IdSource = { uuid: () => randomUUID(), nameSuffix: randomNameSuffix };

/** Identifiers that count up: `00000000-0000-4000-8000-000000000001`, `bbbbc`. For tests. */
export function createCountingIds(): IdSource {
  let uuids = 0;
  let suffixes = 0;
  return {
    uuid: () => `00000000-0000-4000-8000-${(++uuids).toString(16).padStart(12, '0')}`,
    nameSuffix: () => suffixOf(++suffixes),
  };
}

function randomNameSuffix(): string {
  let suffix = '';
  while (suffix.length < suffixLength) {
    for (const byte of randomBytes(suffixLength + 3)) {
      if (byte < unbiasedLimit && suffix.length < suffixLength) suffix += letter(byte);
    }
  }
  return suffix;
}

function suffixOf(count: number): string {
  let rest = count;
  let suffix = '';
  for (let place = 0; place < suffixLength; place++) {
    suffix = letter(rest) + suffix;
    rest = Math.floor(rest / nameSuffixAlphabet.length);
  }
  return suffix;
}

const letter = (n: number): string => nameSuffixAlphabet.charAt(n % nameSuffixAlphabet.length);
