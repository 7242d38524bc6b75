import { join } from 'node:path';
import { createClient, type HttpClient, type ObjectRef, type ResourceRef } from '@chandlery/client';
import type { TestLandscape } from '@chandlery/testing';

/** A client of one logical cluster. It keeps working after restarts, as the landscape keeps its address. */
export const clientOf = (
  { url, ca, token }: Pick<TestLandscape, 'url' | 'ca' | 'token'>,
  cluster: string,
): HttpClient => createClient({ server: `${url}/clusters/${cluster}`, caPem: ca, token });

export const configMaps: ResourceRef = { group: '', version: 'v1', plural: 'configmaps', namespace: 'default' };
export const secrets: ResourceRef = { group: '', version: 'v1', plural: 'secrets', namespace: 'default' };
export const namespaces: ResourceRef = { group: '', version: 'v1', plural: 'namespaces' };
export const logicalClusters: ResourceRef = {
  group: 'core.chandlery.io',
  version: 'v1alpha1',
  plural: 'logicalclusters',
};

export const named = (collection: ResourceRef, name: string): ObjectRef => ({ ...collection, name });

/**
 * Node keeps compiled code here between starts, for the runner of the tests and whatever they start alike. A process
 * that is killed leaves none behind, so tests that start many let the first one end well.
 */
export const compileCache = { NODE_COMPILE_CACHE: join(import.meta.dirname, '../../../.cache/compiled') };
