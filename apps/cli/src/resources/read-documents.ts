import { readdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { ChandleryError, isRecord, type KubeObject } from '@chandlery/api';
import { parseYamlDocuments } from '@chandlery/client';
import type { Flag } from '../args/flags.ts';
import { usageError } from '../args/usage-error.ts';
import type { CommandContext } from '../command.ts';
import { readText } from '../service-manager/read-input.ts';

/** The flag that names files. */
export const filenameFlag = {
  filename: {
    type: 'text',
    short: 'f',
    valueName: 'FILE',
    isMultiple: true,
    about: 'A file, a folder, or - for standard input.',
  },
} as const satisfies Record<string, Flag>;

/** The files that a command names, as arguments or by `-f`. */
export function namedFiles({ args, flags }: CommandContext): readonly string[] {
  const paths = [...args, ...flags.texts('filename')];
  if (paths.length === 0)
    throw usageError('MissingArgument', 'FILE is missing: name a file, a folder, or - for standard input');
  return paths;
}

/** The texts in the files that a command names: at least one. */
export async function readSources(context: CommandContext): Promise<readonly Source[]> {
  const paths = namedFiles(context);
  const sources = (await Promise.all(paths.map(path => sourcesOf(context, path)))).flat();
  if (sources.length > 0) return sources;
  throw new ChandleryError('NoObjects', `there is no YAML or JSON file in ${paths.join(', ')}`, {
    hint: 'Name a file, or a folder whose files end with .yaml, .yml or .json.',
  });
}

/** The objects in the files, folders and standard input (`-`) that `-f` names, in order. Lists are taken apart. */
export async function readObjects(context: CommandContext): Promise<KubeObject[]> {
  const paths = context.flags.texts('filename');
  if (paths.length === 0)
    throw usageError('MissingArgument', '-f is missing: name a file, a folder, or - for standard input');
  const sources = (await Promise.all(paths.map(path => sourcesOf(context, path)))).flat();
  const objects = sources.flatMap(({ place, content }) => objectsIn(content, place));
  if (objects.length === 0)
    throw new ChandleryError('NoObjects', `there is no object in ${paths.join(', ')}`, {
      hint: 'Each document needs apiVersion, kind and metadata.name.',
    });
  return objects;
}

/** A text and where it is from. */
export interface Source {
  readonly place: string;
  readonly content: string;
}

/** The texts of a file, of the files of a folder, or of standard input (`-`). */
async function sourcesOf(context: CommandContext, path: string): Promise<Source[]> {
  if (path === '-') return [{ place: 'standard input', content: await readText(context, '-') }];
  const whole = resolve(context.cwd, path);
  const isFolder = (await stat(whole).catch(() => undefined))?.isDirectory() === true;
  const files = isFolder ? (await documentsIn(whole)).map(file => join(path, file)) : [path];
  return Promise.all(files.map(async file => ({ place: file, content: await readText(context, `@${file}`) })));
}

async function documentsIn(folder: string): Promise<string[]> {
  const names = await readdir(folder);
  return names.filter(name => /\.(ya?ml|json)$/.test(name)).sort();
}

function objectsIn(content: string, place: string): KubeObject[] {
  return parseYamlDocuments(content, place)
    .flatMap((document): readonly unknown[] =>
      isRecord(document) && Array.isArray(document.items) ? document.items : [document],
    )
    .map(document => checked(document, place));
}

function checked(document: unknown, place: string): KubeObject {
  const { apiVersion, kind, metadata } = isRecord(document) ? document : {};
  const missing = [
    ...(typeof apiVersion === 'string' ? [] : ['apiVersion']),
    ...(typeof kind === 'string' ? [] : ['kind']),
    ...(isRecord(metadata) && typeof metadata.name === 'string' ? [] : ['metadata.name']),
  ];
  if (missing.length === 0) return document as KubeObject;
  throw new ChandleryError('DocumentInvalid', `an object in ${place} has no ${missing.join(', no ')}`, {
    hint: 'Each document needs apiVersion, kind and metadata.name.',
  });
}
