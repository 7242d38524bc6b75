import type { JsonObject } from '@chandlery/api';
import type { ManagedInstance } from './model/managed-instance.ts';
import type { Program } from './model/program.ts';

/** An instance for tests. */
export const testInstance = (changes: Partial<ManagedInstance> = {}): ManagedInstance => ({
  id: 'c0ffee',
  placementId: 'p1',
  name: 'rex',
  namespace: 'dinosaur-c0ffee',
  host: 'rex-c0ffee.example.com',
  owners: ['ann'],
  instanceType: 'standard',
  sizeId: 'x1',
  versions: { product: '1.0.0', operator: '1.0.0-1' },
  isDeleted: false,
  isSuspended: false,
  isPaused: false,
  secretsRevision: '1',
  secrets: { tls: { cert: 'CERT', key: 'KEY' }, serviceAccounts: [] },
  ...changes,
});

/** A program with the given objects. */
export const testProgram = (...objects: readonly JsonObject[]): Program => ({ objects, operatorVersions: [] });
