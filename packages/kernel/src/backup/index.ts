export { backupErrorCodes } from './backup-errors.ts';
export type { BackupExtras, BackupHeader } from './backup-format.ts';
export { type Backup, type BackupSummary, backupFile, readBackup, verifyBackup } from './read-backup.ts';
export { writeBackup } from './write-backup.ts';
