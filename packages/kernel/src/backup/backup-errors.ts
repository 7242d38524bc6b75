import { ChandleryError } from '@chandlery/api';

/** What can be wrong with a backup file. */
export const backupErrorCodes = {
  /** The file is something else. */
  NotABackup: 'NotABackup',
  /** A newer Chandlery wrote it. */
  BackupTooNew: 'BackupTooNew',
  /** Its end is missing. */
  BackupTruncated: 'BackupTruncated',
  /** It is not what was written. */
  BackupCorrupted: 'BackupCorrupted',
} as const;

const anotherCopy = 'Use another copy of the backup.';

export const notABackup = (why: string, cause?: unknown): ChandleryError =>
  new ChandleryError(backupErrorCodes.NotABackup, `this is not a Chandlery backup: ${why}`, {
    hint: 'Use a file that was written by "chandlery backup".',
    cause,
  });

export const backupTooNew = (version: number, known: number): ChandleryError =>
  new ChandleryError(
    backupErrorCodes.BackupTooNew,
    `the backup has format version ${version}; this Chandlery reads versions up to ${known}`,
    { hint: 'Restore it with the Chandlery that wrote it, or a later one.' },
  );

export const backupTruncated = (cause?: unknown): ChandleryError =>
  new ChandleryError(backupErrorCodes.BackupTruncated, 'the backup is incomplete: its end is missing', {
    hint: anotherCopy,
    cause,
  });

export const backupCorrupted = (why: string, cause?: unknown): ChandleryError =>
  new ChandleryError(backupErrorCodes.BackupCorrupted, `the backup is damaged: ${why}`, { hint: anotherCopy, cause });
