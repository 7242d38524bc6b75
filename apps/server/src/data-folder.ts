import { join } from 'node:path';
import {
  type AdminToken,
  claimIdentity,
  type LandscapeKeys,
  type Logger,
  lockFolder,
  openAdminToken,
  openLandscapeKeys,
  type ProcessIdentity,
  type ServerConfig,
  type Shutdown,
  writeFileAtomically,
} from '@chandlery/platform';

/** What the data folder holds besides the database. */
export interface DataFolder {
  readonly keys: LandscapeKeys;
  readonly adminToken: AdminToken;
  readonly authorityPath: string;
  readonly kubeconfigPath: string;
}

/** Makes the folder, if need be, and makes it ours alone. Returns what this process is called among replicas. */
export function claimDataFolder({ dataDir }: ServerConfig, stopping: Shutdown): ProcessIdentity {
  stopping.use('folder lock', lockFolder(dataDir));
  return claimIdentity(dataDir);
}

/** Writes whom clients should trust, for all to read. */
export const writeAuthorityFile = ({ authorityPath }: DataFolder, trustPem: string): void =>
  writeFileAtomically(authorityPath, trustPem, 0o644);

/** Finds keys and token in the folder, or makes them on the first start. */
export function openDataFolder({ dataDir }: ServerConfig, logger: Logger): DataFolder {
  const keys = openLandscapeKeys(join(dataDir, 'keys'), { now: new Date() });
  const adminToken = openAdminToken(dataDir);
  for (const warning of [...keys.warnings, ...adminToken.warnings]) logger.warn(warning);
  const authorityPath = join(dataDir, 'ca.crt');
  return { keys, adminToken, authorityPath, kubeconfigPath: join(dataDir, 'admin.kubeconfig') };
}
