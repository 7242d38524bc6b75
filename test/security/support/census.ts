import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestLandscape } from '@chandlery/testing';
import type { Caller } from './caller.ts';

/** Every object of every logical cluster, as `cluster group/plural namespace/name uid`. */
export type Census = ReadonlySet<string>;

interface ResourceList {
  readonly groupVersion: string;
  readonly resources: readonly { readonly name: string; readonly verbs: readonly string[] }[];
}

/** Kinds whose objects come and go by themselves. */
const passing = new Set(['events', 'leases', 'auditrecords']);

/** Lists everything that an administrator can list, found by discovery. */
export async function takeCensus(admin: Caller): Promise<Census> {
  const clusters = await namesIn(admin, '/clusters/platform/apis/core.chandlery.io/v1alpha1/logicalclusters');
  const census = new Set<string>();
  for (const cluster of clusters)
    for (const { path, resource } of await collectionsOf(admin, cluster))
      for (const entry of await entriesIn(admin, path)) census.add(`${cluster} ${resource} ${entry}`);
  return census;
}

/** Kinds whose names and lives are their controllers' matter. */
const generated = / (v1\/pods|apps\/v1\/replicasets|discovery\S+) /;

/** All objects of all clusters with their identities, but for pods and what controllers generate; sorted. */
export const takeStableCensus = async (admin: Caller): Promise<readonly string[]> =>
  [...(await takeCensus(admin))].filter(entry => !generated.test(entry)).sort();

/** What one census has and another has not, sorted. */
export const missingFrom = (before: Census, after: Census): readonly string[] => [...before.difference(after)].sort();

/** The lines of the audit log so far. */
export async function readAuditLog({ dataDir }: TestLandscape): Promise<readonly Record<string, unknown>[]> {
  const text = await readFile(join(dataDir, 'audit.log'), 'utf8').catch(() => '');
  return text
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line) as Record<string, unknown>);
}

async function collectionsOf(admin: Caller, cluster: string): Promise<{ path: string; resource: string }[]> {
  const groups = (await admin.send(`/clusters/${cluster}/apis`)).json<{
    groups: { preferredVersion: { groupVersion: string } }[];
  }>().groups;
  const paths = ['api/v1', ...groups.map(({ preferredVersion }) => `apis/${preferredVersion.groupVersion}`)];
  const lists = await Promise.all(
    paths.map(async path => {
      const root = `/clusters/${cluster}/${path}`;
      const { groupVersion, resources } = (await admin.send(root)).json<unknown>() as ResourceList;
      return resources
        .filter(({ name, verbs }) => verbs.includes('list') && !passing.has(name))
        .map(({ name }) => ({ path: `${root}/${name}`, resource: `${groupVersion}/${name}` }));
    }),
  );
  return lists.flat();
}

async function entriesIn(admin: Caller, path: string): Promise<readonly string[]> {
  const { items = [] } = (await admin.send(path)).json();
  return items.map(({ metadata: { namespace = '', name, uid } }) => `${namespace}/${name} ${uid}`);
}

async function namesIn(admin: Caller, path: string): Promise<readonly string[]> {
  const { items = [] } = (await admin.send(path)).json();
  return items.map(({ metadata }) => metadata.name);
}
