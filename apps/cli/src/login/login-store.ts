import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { formatYaml, type Kubeconfig, type NamedCluster, type NamedUser, parseKubeconfig } from '@chandlery/client';
import { writeFileAtomically } from '@chandlery/platform';
import type { Io } from '../command.ts';

/** Where sign-ins are kept: a kubeconfig of our own, so that no other program's file is changed. */
export function loginFolder({ env }: Pick<Io, 'env'>): string {
  const base = env.XDG_CONFIG_HOME ?? join(env.HOME ?? homedir(), '.config');
  return join(base, 'chandlery');
}

export const loginKubeconfig = (io: Pick<Io, 'env'>): string => join(loginFolder(io), 'kubeconfig');

/** One sign-in. */
export interface Login {
  /** The name of context, cluster and user. */
  readonly name: string;
  readonly cluster: NamedCluster['cluster'];
  readonly user: NamedUser['user'];
  readonly namespace?: string;
}

const empty: Kubeconfig = { apiVersion: 'v1', kind: 'Config', clusters: [], contexts: [], users: [] };

/** The kubeconfig of all sign-ins. */
export function readLogins(io: Pick<Io, 'env'>): Kubeconfig {
  const path = loginKubeconfig(io);
  return existsSync(path) ? parseKubeconfig(readFileSync(path, 'utf8'), path) : empty;
}

/** Adds a sign-in, or replaces the one of the same name, and makes it the current context. */
export function storeLogin(io: Pick<Io, 'env'>, { name, cluster, user, namespace }: Login): void {
  const file = readLogins(io);
  const others = <T extends { readonly name: string }>(entries: readonly T[]): T[] =>
    entries.filter(entry => entry.name !== name);
  writeLogins(io, {
    ...file,
    'current-context': name,
    clusters: [...others(file.clusters), { name, cluster }],
    contexts: [
      ...others(file.contexts),
      { name, context: { cluster: name, user: name, ...(namespace === undefined ? {} : { namespace }) } },
    ],
    users: [...others(file.users), { name, user }],
  });
}

/** Removes a sign-in, with the last one the file. The first of the others becomes current when it was that. */
export function removeLogin(io: Pick<Io, 'env'>, name: string): void {
  const file = readLogins(io);
  const others = <T extends { readonly name: string }>(entries: readonly T[]): T[] =>
    entries.filter(entry => entry.name !== name);
  const contexts = others(file.contexts);
  // Commands would look into it, and find nothing to use.
  if (contexts.length === 0) return rmSync(loginKubeconfig(io), { force: true });
  const current = file['current-context'] === name ? (contexts[0]?.name ?? '') : (file['current-context'] ?? '');
  writeLogins(io, {
    ...file,
    'current-context': current,
    clusters: others(file.clusters),
    contexts,
    users: others(file.users),
  });
}

export const writeLogins = (io: Pick<Io, 'env'>, file: Kubeconfig): void =>
  writeSecret(loginKubeconfig(io), formatYaml(file));

/** Writes a file that only its owner may read, whole or not at all. */
export function writeSecret(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileAtomically(path, text);
}
