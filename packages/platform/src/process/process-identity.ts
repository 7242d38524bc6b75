import { closeSync, constants, fstatSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { randomIds } from '../time/ids.ts';

/** What a process is called where it competes with others, as for a lease. */
export interface ProcessIdentity {
  /** Unique to this process. */
  readonly identity: string;
  /** Those of earlier processes on the same data folder, all of which have ended. */
  readonly formerIdentities: readonly string[];
}

interface IdentityFile {
  readonly identities: readonly string[];
  /** Number of the file itself: a copy of the folder has another, and its processes are not ours. */
  readonly inode: number;
  /** Of the machine's current run: a file system may be mounted on two machines, or be part of a clone. */
  readonly bootId: string;
}

const fileName = 'identity.json';
const maxFormer = 16;

/**
 * Gives this process an identity, and finds those of earlier ones. The caller holds the lock of the folder (`lockFolder`):
 * the lock ends with its process, so that earlier writers of this very file on this machine have ended.
 */
export function claimIdentity(folder: string): ProcessIdentity {
  const identity = `${hostname()}-${process.pid}-${randomIds.nameSuffix()}`;
  const file = openSync(join(folder, fileName), constants.O_RDWR | constants.O_CREAT, 0o600);
  try {
    const { ino: inode } = fstatSync(file);
    const bootId = readBootId();
    const known = parse(readFileSync(file, 'utf8'));
    const isOurs = known?.inode === inode && known.bootId === bootId && bootId !== '';
    const formerIdentities = isOurs ? known.identities : [];
    const identities = [identity, ...formerIdentities].slice(0, maxFormer);
    const content: IdentityFile = { identities, inode, bootId };
    // In place: a new file would have another number.
    ftruncateSync(file);
    writeSync(file, `${JSON.stringify(content)}\n`, 0);
    return { identity, formerIdentities };
  } finally {
    closeSync(file);
  }
}

/** Empty where the system does not have it; earlier processes are then not recognised. */
function readBootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return '';
  }
}

function parse(text: string): IdentityFile | undefined {
  try {
    const { identities, inode, bootId } = JSON.parse(text) as Partial<IdentityFile>;
    const isWhole = Array.isArray(identities) && typeof inode === 'number' && typeof bootId === 'string';
    return isWhole ? { identities: identities.filter(each => typeof each === 'string'), inode, bootId } : undefined;
  } catch {
    return undefined;
  }
}
