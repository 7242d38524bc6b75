import {
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  openSync,
  readSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import type { Damage } from '../../store.ts';
import { damagedStore } from '../../store-errors.ts';
import { type AcknowledgedPosition, readMark } from './commit-mark.ts';
import { buildPageChecksums, forgetPageChecksums } from './page-checksums.ts';
import type { StoreFiles } from './store-files.ts';
import { verifyFiles } from './verify-files.ts';
import type { RowsReport } from './verify-rows.ts';
import { pageSize } from './wal-file.ts';

/** What was found before a database was opened. */
export interface OpeningReport {
  readonly damage: readonly Damage[];
  readonly acknowledged: AcknowledgedPosition | undefined;
}

export interface OpeningDeps {
  readonly files: StoreFiles;
  /** Opens the database, verifies its rows and closes it again. */
  readonly verifyRows: () => RowsReport;
  /** Called now and then with the number of verified pages. */
  readonly onPages?: (pages: number) => void;
}

/**
 * Verifies the files of a store before it is opened, and sees to it that nothing damaged can be read: damage that the
 * checksums of rows notice is left to them, all other damaged pages are quarantined.
 */
export function prepareFiles({ files, verifyRows, onPages }: OpeningDeps): OpeningReport {
  if (!existsSync(files.database) || statSync(files.database).size === 0) {
    forgetPageChecksums(files.pages);
    // A database that is new has no mark; one that was emptied has.
    return { damage: [], acknowledged: readMark(files.mark).acknowledged };
  }
  const report = verifyFiles(files, onPages);
  const damage = [...report.damage];
  if (damage.some(({ kind }) => kind === 'log')) keepDamagedLog(files);
  if (report.isLogOutdated) dropLog(files);
  if (report.arePagesUnknown) buildPageChecksums(files.database, files.pages);
  if (report.damagedPages.length > 0) {
    const rows = verifyRows();
    damage.push(...rows.damage);
    const isSchemaDamaged = report.damagedPages.includes(1);
    if (isSchemaDamaged && !(rows.isContained && rows.isSchemaSound)) throw damagedStore('its first page is damaged');
    if (!rows.isContained) quarantinePages(files, report.damagedPages);
  }
  return { damage, acknowledged: report.acknowledged };
}

const poison = Buffer.alloc(pageSize, 0xff);

/**
 * Makes damaged pages unreadable, so that SQLite rejects every read and write that needs one of them instead of taking what
 * it finds there for good. Their content is appended to the quarantine file first: the page's number (4 bytes, big-endian)
 * and its bytes. No connection may be open.
 */
function quarantinePages({ database, quarantine }: StoreFiles, pages: readonly number[]): void {
  const source = openSync(database, 'r+');
  const target = openSync(quarantine, 'a', 0o600);
  try {
    for (const page of pages) {
      const record = Buffer.alloc(4 + pageSize);
      record.writeUInt32BE(page, 0);
      readSync(source, record, 4, pageSize, (page - 1) * pageSize);
      if (record.subarray(4).equals(poison)) continue;
      writeSync(target, record);
      fsyncSync(target);
      writeSync(source, poison, 0, pageSize, (page - 1) * pageSize);
    }
    fsyncSync(source);
  } finally {
    closeSync(source);
    closeSync(target);
  }
}

/** Keeps a copy of a damaged log: SQLite overwrites what it cannot read of it. */
const keepDamagedLog = ({ wal }: StoreFiles): void => copyFileSync(wal, `${wal}-damaged`);

/** Removes a log that is older than the database. SQLite would lay its pages over newer ones. */
function dropLog({ database, wal }: StoreFiles): void {
  rmSync(wal, { force: true });
  rmSync(`${database}-shm`, { force: true });
}
