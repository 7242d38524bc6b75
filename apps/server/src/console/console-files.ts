import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ChandleryError } from '@chandlery/api';

/** A file of the console as it is sent, in the encodings in which the build has left it. */
export interface ConsoleFile {
  readonly contentType: string;
  readonly plain: Buffer;
  readonly br?: Buffer;
  readonly gzip?: Buffer;
}

/** The files of the console by their path below `/console/`. */
export type ConsoleFiles = ReadonlyMap<string, ConsoleFile>;

/** The page that all addresses of the console show. */
export const startPage = 'index.html';

const contentTypes: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
};

/** Reads the built console into memory: about a megabyte. Throws `ConsoleNotBuilt` when it is not there. */
export function readConsoleFiles(folder: string): ConsoleFiles {
  const names = listFiles(folder);
  const files = new Map<string, ConsoleFile>();
  for (const name of names) {
    const contentType = contentTypes[name.split('.').at(-1) ?? ''];
    if (contentType === undefined) continue;
    const encoded = (suffix: string): Buffer | undefined =>
      names.includes(`${name}.${suffix}`) ? readFileSync(join(folder, `${name}.${suffix}`)) : undefined;
    const br = encoded('br');
    const gzip = encoded('gz');
    files.set(name, { contentType, plain: readFileSync(join(folder, name)), ...(br && { br }), ...(gzip && { gzip }) });
  }
  if (files.has(startPage)) return files;
  throw new ChandleryError('ConsoleNotBuilt', `the console is not in ${folder}`, {
    hint: 'Install chandlery again, or in a clone run "node apps/console/build/main.ts".',
  });
}

function listFiles(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: 'utf8' });
  } catch {
    return [];
  }
}
