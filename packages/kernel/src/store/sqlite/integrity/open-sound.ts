import { existsSync, statSync } from 'node:fs';
import type { Damage } from '../../store.ts';
import { damagedStore } from '../../store-errors.ts';
import { type Acknowledged, readMark } from './commit-mark.ts';
import { buildPageChecksums, forgetPageChecksums } from './page-checksums.ts';
import { dropLog, keepDamagedLog, quarantinePages } from './quarantine.ts';
import type { StoreFiles } from './store-files.ts';
import { verifyFiles } from './verify-files.ts';
import type { RowsReport } from './verify-rows.ts';

/** What was found before a database was opened. */
export interface OpeningReport {
  readonly damage: readonly Damage[];
  readonly acknowledged: Acknowledged | undefined;
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
