/** The landscape in one process. `startLandscape` is the one place that knows all parts. */
export { type BackupSummary, backupFile, verifyBackup } from '@chandlery/kernel';
export { type AdminKubeconfig, renderKubeconfig } from './admin-kubeconfig.ts';
export { type DropKeyRequest, dropEncryptionKey } from './encryption/drop-encryption-key.ts';
export { type RunningLandscape, startLandscape } from './landscape.ts';
export { type RestoreRequest, restore } from './restore.ts';
export { type UpOptions, up } from './up.ts';
export { type VerifyRequest, verify } from './verify.ts';
export { version } from './version.ts';
