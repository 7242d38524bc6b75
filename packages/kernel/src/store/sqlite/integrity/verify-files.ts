import { existsSync, statSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import type { Damage } from '../../store.ts';
import { type AcknowledgedPosition, readMark } from './commit-mark.ts';
import { type PageChecksums, pageSums, readPageChecksums } from './page-checksums.ts';
import type { StoreFiles } from './store-files.ts';
import { pageSize, WalFile, type WalPosition } from './wal-file.ts';

/** What the bytes of the files say, before SQLite has touched them. */
export interface FilesReport {
  readonly damage: readonly Damage[];
  /** Pages of the database whose content is not what was written, and of which the log has no copy. */
  readonly damagedPages: readonly number[];
  /** Up to where writes were acknowledged, as far as the mark knows. */
  readonly acknowledged: AcknowledgedPosition | undefined;
  /** Whether the readable part of a damaged log is older than what the database already holds of it. */
  readonly isLogOutdated: boolean;
  /** The log was not removed by the store, so the checksums of pages may be outdated. */
  readonly arePagesUnknown: boolean;
}

/**
 * Compares every byte of a closed store's files with what was written: the log with its own chain of checksums and with
 * the mark of what was acknowledged, the database with the checksums of its pages. Changes nothing. `onPages` is called now and then with the number of verified pages.
 */
export function verifyFiles(files: StoreFiles, onPages: (pages: number) => void = () => undefined): FilesReport {
  const mark = readMark(files.mark);
  const log = readLog(files.wal);
  const damage: Damage[] = [];
  if (mark.isDamaged) damage.push(checksumsDamage(`the mark of acknowledged writes (${nameOf(files.mark)})`));
  const lost = lostFrames(mark.acknowledged, log);
  if (lost !== undefined) damage.push({ kind: 'log', message: lost });
  const isLogGone = !log.exists && mark.acknowledged?.state === 'open' && mark.acknowledged.frame > 0;
  const checksums = readPageChecksums(files.pages);
  const recorded = checksums?.recordedUpTo;
  const isSameLog = recorded !== undefined && recorded.salt1 === mark.acknowledged?.salt1;
  const isLogOutdated = lost !== undefined && isSameLog && log.positions.size <= recorded.frame;
  const report = { damage, damagedPages: [], acknowledged: mark.acknowledged, isLogOutdated, arePagesUnknown: true };
  if (checksums === undefined) {
    if (mark.exists && !isLogGone) damage.push(checksumsDamage(`the file of page checksums (${nameOf(files.pages)})`));
    return report;
  }
  if (checksums.recordedUpTo === undefined)
    damage.push(checksumsDamage(`the header of the page checksums (${nameOf(files.pages)})`));
  if (isLogGone) return report;
  const { pages, damage: pageDamage } = verifyPages(files, checksums, log, onPages);
  damage.push(...pageDamage);
  return { ...report, damagedPages: pages, arePagesUnknown: false };
}

const checksumsDamage = (what: string): Damage => ({
  kind: 'checksums',
  message: `${what} is damaged or missing; the data it is about may be sound`,
});

const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

interface ReadLog {
  /** Whether there is a log with anything in it. */
  readonly exists: boolean;
  readonly header: WalPosition | undefined;
  /** The checksums at every frame of the log, by its number. */
  readonly positions: ReadonlyMap<number, WalPosition>;
  /** The checksums of all contents that the log has of a page. */
  readonly sums: ReadonlyMap<number, ReadonlySet<number>>;
}

function readLog(path: string): ReadLog {
  const positions = new Map<number, WalPosition>();
  const sums = new Map<number, Set<number>>();
  if (!existsSync(path) || statSync(path).size === 0) return { exists: false, header: undefined, positions, sums };
  using wal = new WalFile(path);
  for (const { page, content, salt1, salt2, frame, sum1, sum2 } of wal.frames()) {
    positions.set(frame, { salt1, salt2, frame, sum1, sum2 });
    sums.set(page, (sums.get(page) ?? new Set()).add(crc32(content)));
  }
  return { exists: true, header: wal.header, positions, sums };
}

/** Says what the log lacks of what was acknowledged. */
function lostFrames(
  acknowledged: AcknowledgedPosition | undefined,
  { exists, header, positions }: ReadLog,
): string | undefined {
  if (!exists) return undefined;
  if (acknowledged === undefined || acknowledged.frame === 0 || acknowledged.state === 'closed') return undefined;
  if (header === undefined) return 'the header of the write-ahead log is damaged, so that nothing of the log is read';
  if (isLater(header, acknowledged)) return undefined;
  const { frame, sum1, sum2 } = acknowledged;
  const found = positions.get(frame);
  if (header.salt1 === acknowledged.salt1 && found?.sum1 === sum1 && found.sum2 === sum2) return undefined;
  const readable = positions.size;
  return `the write-ahead log is damaged: ${readable} of ${frame} acknowledged frames can be read`;
}

/** The log has restarted since, which it does only when all of it is in the database. */
const isLater = (header: WalPosition, acknowledged: AcknowledgedPosition): boolean => {
  const half = 0x8000_0000;
  const distance = (header.salt1 - acknowledged.salt1) >>> 0;
  return distance > 0 && distance < half;
};

const pagesPerReport = 256;

function verifyPages(
  { database }: StoreFiles,
  checksums: PageChecksums,
  { sums: logged }: ReadLog,
  onPages: (pages: number) => void,
): { readonly pages: number[]; readonly damage: Damage[] } {
  const damage: Damage[] = [];
  const pages: number[] = [];
  let last = 0;
  for (const { page, sum } of pageSums(database)) {
    last = page;
    if (page % pagesPerReport === 0) onPages(page);
    const recorded = page <= checksums.pageCount ? checksums.of(page) : undefined;
    // A checkpoint that was interrupted has written some pages of the log, and recorded none.
    if (sum === recorded || logged.get(page)?.has(sum)) continue;
    if (page <= checksums.pageCount && recorded === undefined) {
      damage.push(checksumsDamage(`the checksum of page ${page}`));
      continue;
    }
    const hasCopy = logged.has(page);
    if (!hasCopy) pages.push(page);
    const consequence = hasCopy ? '; the log has its newest content' : '';
    damage.push({ kind: 'page', message: `page ${page} of the database is not what was written${consequence}` });
  }
  const missing = Math.max(0, checksums.pageCount - last);
  if (missing > 0)
    damage.push({ kind: 'page', message: `the database ends ${missing * pageSize} bytes before its last page` });
  return { pages, damage };
}
