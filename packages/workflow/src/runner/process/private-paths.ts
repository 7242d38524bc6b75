import { dirname, join } from 'node:path';
import type { Container } from '../../document/container.ts';
import type { Template } from '../../document/template.ts';
import { isSystemFolder } from './system-folders.ts';

/** A path that a template declares, and the one that stands for it on this machine. */
export interface PrivatePath {
  readonly declared: string;
  readonly actual: string;
}

/** The folder that stands for `/` of a node. */
export const rootFolderOf = (folder: string): string => join(folder, 'root');

/** The declared paths of a template and the folders around them, each in the folder of its node; longer ones first. */
export function privatePathsOf(template: Template, folder: string): PrivatePath[] {
  const declared = new Set<string>(outputPathsOf(template));
  for (const { path } of template.inputs?.artifacts ?? []) declared.add(path ?? '');
  for (const { mountPath } of mountsOf(template)) declared.add(mountPath);
  for (const { workingDir } of containersOf(template)) declared.add(workingDir ?? '');
  const paths = new Set([...declared].filter(path => path.startsWith('/')).map(trimSlash));
  for (const path of [...paths]) for (const around of foldersAround(path)) paths.add(around);
  paths.delete('/');
  return [...paths]
    .sort((a, b) => b.length - a.length)
    .map(path => ({ declared: path, actual: join(rootFolderOf(folder), path) }));
}

/** The absolute paths at which a template's outputs are expected. */
export function outputPathsOf({ outputs }: Template): string[] {
  const { artifacts = [], parameters = [] } = outputs ?? {};
  const paths = [...artifacts.map(({ path }) => path), ...parameters.map(({ valueFrom }) => valueFrom?.path)];
  return paths.filter(path => path !== undefined).filter(path => path.startsWith('/'));
}

/** The folders that a path is in, up to one that every image has. */
function foldersAround(path: string): string[] {
  const around = dirname(path);
  return around === '/' || isSystemFolder(around) ? [] : [around, ...foldersAround(around)];
}

const trimSlash = (path: string): string => (path.length > 1 ? path.replace(/\/+$/, '') : path);

export const containersOf = (template: Template): Container[] => [
  ...(template.container === undefined ? [] : [template.container]),
  ...(template.script === undefined ? [] : [template.script]),
  ...(template.containerSet?.containers ?? []),
  ...(template.initContainers ?? []),
  ...(template.sidecars ?? []),
];

export const mountsOf = (template: Template) =>
  [...containersOf(template), template.containerSet ?? {}].flatMap(({ volumeMounts = [] }) => volumeMounts);

/** The text with every declared path replaced by the actual one. A path within a longer name is left alone. */
export function replacePaths(text: string, paths: readonly PrivatePath[]): string {
  const byDeclared = new Map(paths.map(({ declared, actual }) => [declared, actual]));
  if (byDeclared.size === 0) return text;
  const alternatives = [...byDeclared.keys()].map(path => RegExp.escape(path)).join('|');
  const pattern = new RegExp(String.raw`(?<![\w.-])(?:${alternatives})(?![\w-]|\.\w)`, 'g');
  return text.replace(pattern, path => byDeclared.get(path) ?? path);
}

/** Where a declared path is on this machine: the path itself when it is not private. */
export const actualPath = (path: string, paths: readonly PrivatePath[]): string => replacePaths(trimSlash(path), paths);
