import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { KubeObject } from '@chandlery/api';
import type { HttpClient, ResourceRef } from '@chandlery/client';
import type { TestLandscape } from '@chandlery/testing';
import { clientOf, logicalClusters } from './landscape-client.ts';
import type { LandscapeProcesses } from './landscape-processes.ts';

/** Everything there is, by what it is: `workload secrets`, `machine process`. The names are for people. */
export type Census = ReadonlyMap<string, readonly string[]>;

export interface CensusOptions {
  readonly landscape: TestLandscape;
  readonly processes: LandscapeProcesses;
  /** Where files are that belong to services. */
  readonly filesFolder: string;
}

/** Counts what is there: every object of every kind on every cluster, finalizers, processes, folders and files. */
export async function takeCensus({ landscape, processes, filesFolder }: CensusOptions): Promise<Census> {
  const census = new Map<string, string[]>();
  const count = (what: string, name: string): void => void census.set(what, [...(census.get(what) ?? []), name]);
  await using platform = clientOf(landscape, 'platform');
  for (const { metadata } of (await platform.list(logicalClusters)).items) {
    const { name: cluster = '' } = metadata;
    await using client = clientOf(landscape, cluster);
    const role = cluster.replace(/-.*/, '');
    for (const ref of await collectionsOf(client)) {
      for (const object of (await client.list(ref)).items) countObject(count, `${role} ${ref.plural}`, cluster, object);
    }
  }
  for (const { role, pod } of processes.list()) count(`machine ${role}`, pod);
  for (const uid of readdirSync(join(landscape.dataDir, 'node', 'pods'))) count('machine pod folder', uid);
  for (const file of readdirSync(filesFolder)) count('machine file', file);
  return census;
}

type Count = (what: string, name: string) => void;

function countObject(count: Count, what: string, cluster: string, { metadata }: KubeObject): void {
  const path = [cluster, metadata.namespace, metadata.name].filter(part => part !== undefined).join('/');
  count(what, path);
  for (const finalizer of metadata.finalizers ?? []) {
    // Those of requests end with the name or uid of theirs.
    count(`${what} finalizer ${finalizer.replace(/^(request\..*)\/.*/, '$1')}`, `${path} ${finalizer}`);
  }
  if (metadata.deletionTimestamp !== undefined) count(`${what} being deleted`, path);
}

interface Discovery {
  readonly groups?: readonly { readonly name: string; readonly preferredVersion: { readonly version: string } }[];
  readonly resources?: readonly { readonly name: string; readonly verbs: readonly string[] }[];
}

/** What says what happened, and comes and goes as it likes. */
const records: readonly string[] = ['events', 'auditrecords'];

/** All that can be listed, but for records. */
async function collectionsOf(client: HttpClient): Promise<readonly ResourceRef[]> {
  const { groups = [] } = await discover(client, '/apis');
  const versions = groups.map(({ name, preferredVersion }) => ({ group: name, version: preferredVersion.version }));
  const all = [{ group: '', version: 'v1' }, ...versions].map(async ({ group, version }) => {
    const { resources = [] } = await discover(client, group === '' ? '/api/v1' : `/apis/${group}/${version}`);
    const listed = resources.filter(({ name, verbs }) => verbs.includes('list') && !records.includes(name));
    return listed.map(({ name }) => ({ group, version, plural: name }));
  });
  return (await Promise.all(all)).flat();
}

async function discover(client: HttpClient, path: string): Promise<Discovery> {
  const { body } = await client.raw(path);
  return JSON.parse(Buffer.concat(await Array.fromAsync(body)).toString()) as Discovery;
}

/** How many more of everything there are than before. */
export function growth(before: Census, after: Census): ReadonlyMap<string, number> {
  const all = new Set([...before.keys(), ...after.keys()]);
  return new Map([...all].map(what => [what, (after.get(what)?.length ?? 0) - (before.get(what)?.length ?? 0)]));
}

/** Fails with names when there is more or less of anything than a base and so many times what one more brings. */
export function assertCounts(
  found: Census,
  base: Census,
  more: readonly { readonly times: number; readonly each: ReadonlyMap<string, number> }[] = [],
): void {
  const all = new Set([...base.keys(), ...found.keys(), ...more.flatMap(({ each }) => [...each.keys()])]);
  const differences = [...all].sort().flatMap(what => {
    const expected = more.reduce(
      (sum, { times, each }) => sum + times * (each.get(what) ?? 0),
      base.get(what)?.length ?? 0,
    );
    const names = found.get(what) ?? [];
    return names.length === expected ? [] : [`${what}: ${names.length}, not ${expected}: ${names.join(', ')}`];
  });
  assert.deepEqual(differences, []);
}
