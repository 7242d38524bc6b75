import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const packageFolder = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//;

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
}

/** Writes the names and licences of all libraries that are part of a bundle, as their licences ask for. */
export function writeThirdPartyNotices(root: string, inputs: readonly string[], file: string): void {
  const folders = new Set(inputs.flatMap(input => packageFolder.exec(input)?.[1] ?? []));
  const notices = [...folders]
    .sort()
    .filter(folder => existsSync(join(root, folder, 'package.json')))
    .map(folder => noticeOf(join(root, folder)));
  const preface = 'This package contains code of the following libraries.\n';
  writeFileSync(file, [preface, ...new Set(notices)].join(`\n${'-'.repeat(80)}\n\n`));
}

function noticeOf(folder: string): string {
  const {
    name,
    version,
    license = 'see below',
  } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
  const [text] = globSync('{LICENSE,LICENCE,license,License,COPYING}{,.*}', { cwd: folder });
  const body = text === undefined ? '' : `\n${readFileSync(join(folder, text), 'utf8').trim()}\n`;
  return `${name} ${version} (${license})\n${body}`;
}
