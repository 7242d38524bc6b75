import { ChandleryError } from '@chandlery/api';
import type { Store } from '@chandlery/kernel';
import { buildVersion } from '@chandlery/platform';

/**
 * The format of stored data, as far as it goes beyond the tables: kinds, names, annotations that controllers rely on. A
 * version that writes what earlier ones would misread increases it by one. Earlier ones then refuse to start, rather than
 * treat what they do not know as absent.
 */
const dataFormat = 2;

/** What every start writes. Later formats are noted when they are first needed, so that until then there is a way back. */
const startFormat = 1;

/** The certificate authority was rotated: earlier versions would issue from the first one. */
export const rotatedFormat = 2;

/** One fact for each format that was written: facts are never replaced. Its value is the first version that wrote it. */
const factOf = (format: number): string => `landscape.format.${format}`;

type FormatFacts = Readonly<Record<string, string | undefined>>;

/** Notes the format in a store that this version is about to write to. Throws `DataTooNew`. */
export async function claimFormat(
  { facts }: Pick<Store, 'facts'>,
  format = startFormat,
  readable = dataFormat,
): Promise<void> {
  assertReadable({ [factOf(readable + 1)]: await facts.get(factOf(readable + 1)) }, readable);
  for (let each = 1; each <= format; each++) await facts.putIfAbsent(factOf(each), buildVersion);
}

/** What a backup says about its format. */
export async function readFormatFacts({ facts }: Pick<Store, 'facts'>): Promise<Readonly<Record<string, string>>> {
  const found: Record<string, string> = {};
  for (let format = 1; format <= dataFormat; format++) {
    const writer = await facts.get(factOf(format));
    if (writer !== undefined) found[factOf(format)] = writer;
  }
  return found;
}

/** Notes what a backup says in the store that it was restored to. */
export async function restoreFormatFacts({ facts }: Pick<Store, 'facts'>, found: FormatFacts): Promise<void> {
  for (let format = 1; format <= dataFormat; format++) {
    const writer = found[factOf(format)];
    if (writer !== undefined) await facts.putIfAbsent(factOf(format), writer);
  }
}

/** Throws `DataTooNew` for data in a later format. */
export function assertReadable(facts: FormatFacts, format = dataFormat): void {
  const writer = facts[factOf(format + 1)];
  if (writer === undefined) return;
  throw new ChandleryError(
    'DataTooNew',
    `the data was written by version ${writer} (format ${format + 1} or later); this is version ${buildVersion}, which reads format ${format}`,
    {
      hint: `Start version ${writer} or a later one. To go back to this version, restore a backup that it has made: docs/operating.md, Upgrades.`,
    },
  );
}
