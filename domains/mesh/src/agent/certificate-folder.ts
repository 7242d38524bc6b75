import { createPrivateKey, X509Certificate } from 'node:crypto';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { writeFileAtomically } from '@chandlery/platform';

/** The certificate, key and trust bundle of a client of the control plane. All PEM. */
export interface CertificateFiles {
  /** Leaf first. */
  readonly cert: string;
  readonly key: string;
  /** Trust bundle. */
  readonly ca: string;
  /** For an Envoy: the certificate of its workload for the same key, leaf first. */
  readonly workload?: string;
}

/** The files of a folder. */
export const fileNames = { cert: 'cert.pem', key: 'key.pem', ca: 'ca.pem', workload: 'workload-cert.pem' } as const;

type FilePart = keyof typeof fileNames;

/** Link to the folder with the current files. */
const currentLink = '..data';

/**
 * Replaces all files atomically: they are links through a link to a folder, and that link is replaced. A concurrent
 * reader gets either all old or all new files.
 */
export function writeCertificateFolder(folder: string, files: CertificateFiles): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const next = basename(mkdtempSync(join(folder, `..${Date.now()}-`)));
  const parts = Object.entries(files) as [FilePart, string][];
  for (const [part, content] of parts) writeFileAtomically(join(folder, next, fileNames[part]), content);
  const before = currentFolder(folder);
  const nextLink = join(folder, `${currentLink}.new`);
  rmSync(nextLink, { force: true });
  symlinkSync(next, nextLink);
  renameSync(nextLink, join(folder, currentLink));
  for (const [part] of parts) linkThroughCurrent(folder, fileNames[part]);
  for (const old of readdirSync(folder)) {
    if (/^\.\.\d+-/.test(old) && old !== next && old !== before) rmSync(join(folder, old), { recursive: true });
  }
}

/** Reads the files; undefined when one is missing. */
export function readCertificateFolder(folder: string): CertificateFiles | undefined {
  try {
    const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
    const workload = existsSync(join(folder, fileNames.workload)) ? { workload: read(fileNames.workload) } : {};
    return { cert: read(fileNames.cert), key: read(fileNames.key), ca: read(fileNames.ca), ...workload };
  } catch {
    return undefined;
  }
}

/** The leaf certificate; undefined when the files are unreadable or do not belong together. */
export function leafOf({ cert, key, workload }: CertificateFiles): X509Certificate | undefined {
  try {
    const leaf = new X509Certificate(cert);
    const privateKey = createPrivateKey(key);
    const isWhole = workload === undefined || new X509Certificate(workload).checkPrivateKey(privateKey);
    return isWhole && leaf.checkPrivateKey(privateKey) ? leaf : undefined;
  } catch {
    return undefined;
  }
}

function currentFolder(folder: string): string | undefined {
  try {
    return readlinkSync(join(folder, currentLink));
  } catch {
    return undefined;
  }
}

function linkThroughCurrent(folder: string, name: string): void {
  const path = join(folder, name);
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) return;
  rmSync(path, { force: true });
  symlinkSync(join(currentLink, name), path);
}
