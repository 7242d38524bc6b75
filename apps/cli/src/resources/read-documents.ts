import { readdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { ChandleryError, isRecord, type KubeObject } from '@chandlery/api';
import { parseYamlDocuments } from '@chandlery/client';
import { usageError } from '../args/usage-error.ts';
import type { CommandContext } from '../command.ts';
import { readText } from '../service-manager/read-input.ts';

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

interface Source {
  readonly place: string;
  readonly content: string;
}

async function sourcesOf(context: CommandContext, path: string): Promise<Source[]> {
  if (path === '-') return [{ place: 'standard input', content: await readText(context, '-') }];
  const whole = resolve(context.cwd, path);
  const isFolder = (await stat(whole).catch(() => undefined))?.isDirectory() === true;
  const files = isFolder ? await documentsIn(whole) : [whole];
  return Promise.all(files.map(async file => ({ place: file, content: await readText(context, `@${file}`) })));
}

async function documentsIn(folder: string): Promise<string[]> {
  const names = await readdir(folder);
  return names
    .filter(name => /\.(ya?ml|json)$/.test(name))
    .sort()
    .map(name => join(folder, name));
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
