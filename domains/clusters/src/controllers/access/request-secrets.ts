import { apiError, isError, type KubeObject } from '@chandlery/api';
import type { Client, ObjectRef } from '@chandlery/client';
import { kubeconfigSecretName } from '../../model/access/access-names.ts';
import type { RequestSecrets } from './access-deps.ts';

const secretsRef = { group: '', version: 'v1', plural: 'secrets' };
const fieldManager = 'chandlery-access';

/** Reads and writes the Secrets of requests live: a cache would lag behind our own writes. */
export const requestSecrets = (platform: Client): RequestSecrets => ({
  read: async ({ metadata: { name = '', namespace } }, signal) => {
    try {
      return await platform.get({ ...secretsRef, name: kubeconfigSecretName(name), namespace }, { signal });
    } catch (error) {
      if (isError(error, 'NotFound')) return undefined;
      throw error;
    }
  },
  write: async (secret, before, signal) => {
    const ref = refTo(secret);
    if (before !== undefined) {
      await platform.update(ref, secret, { fieldManager, signal });
      return;
    }
    await platform.create(ref, secret, { fieldManager, signal }).catch((error: unknown) => {
      // Created meanwhile: retried as a conflict.
      throw isError(error, 'AlreadyExists') ? apiError('Conflict', error.message) : error;
    });
  },
  delete: async (secret, signal) => {
    const { uid } = secret.metadata;
    await platform.delete(refTo(secret), { preconditions: { uid }, signal }).catch((error: unknown) => {
      if (!isError(error, 'NotFound')) throw error;
    });
  },
});

function refTo({ metadata: { name = '', namespace } }: KubeObject): ObjectRef {
  return { ...secretsRef, name, namespace };
}
