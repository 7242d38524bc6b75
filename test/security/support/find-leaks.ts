import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestLandscape } from '@chandlery/testing';
import type { Caller } from './caller.ts';
import { filesBelow, holdsAny } from './find-bytes.ts';
import { groupPath } from './objects.ts';

interface Discovered {
  readonly resources: readonly { readonly name: string; readonly verbs: readonly string[] }[];
}

/** Where any spelling of any marker is to be seen that is not a Secret: objects, logs, metrics. */
export async function findLeaks(
  landscape: TestLandscape,
  admin: Caller,
  markers: readonly string[],
): Promise<readonly string[]> {
  const places = [...(await seenOnClusters(admin)), ...(await seenInFiles(landscape))];
  places.push(['the output of the server', Buffer.from(landscape.process.output())]);
  places.push(['metrics', Buffer.from((await admin.send('/metrics')).text)]);
  return places.filter(([, bytes]) => holdsAny(bytes, markers)).map(([place]) => place);
}

type Place = readonly [name: string, bytes: Uint8Array];

/** All objects of all kinds but Secrets, with managed fields, as an administrator of every cluster sees them. */
async function seenOnClusters(admin: Caller): Promise<Place[]> {
  const { items = [] } = (await admin.send(groupPath('platform', 'core.chandlery.io/v1alpha1/logicalclusters'))).json();
  const places: Place[] = [];
  for (const { metadata } of items) {
    for (const path of await listedPaths(admin, `/clusters/${metadata.name}`)) {
      const { status, text } = await admin.send(path);
      if (status !== 200) throw new Error(`${path}: ${text}`);
      places.push([path, Buffer.from(text)]);
    }
  }
  return places;
}

async function listedPaths(admin: Caller, cluster: string): Promise<string[]> {
  const { groups } = (await admin.send(`${cluster}/apis`)).json<{
    groups: { versions: { groupVersion: string }[] }[];
  }>();
  const roots = groups.flatMap(({ versions }) => versions.map(({ groupVersion }) => `${cluster}/apis/${groupVersion}`));
  const paths: string[] = [];
  for (const root of [`${cluster}/api/v1`, ...roots]) {
    const { resources } = (await admin.send(root)).json<Discovered>();
    const listed = resources.filter(({ name, verbs }) => verbs.includes('list') && name !== 'secrets');
    paths.push(...listed.map(({ name }) => `${root}/${name}`));
  }
  return paths;
}

/** The audit log, and what containers print. What pods are given is theirs, and goes with them. */
async function seenInFiles({ dataDir }: TestLandscape): Promise<Place[]> {
  const files = (await filesBelow(dataDir)).filter(file => file.endsWith('.log'));
  if (!files.includes(join(dataDir, 'audit.log'))) throw new Error(`no audit.log in ${dataDir}`);
  return Promise.all(files.map(async file => [file, await readFile(file)] as const));
}
