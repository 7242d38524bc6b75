import type { HttpHost, HttpRequest } from '@chandlery/http';
import { readReencryption, type Store } from '@chandlery/kernel';
import type { LandscapeKeys } from '@chandlery/platform';

export interface EncryptionRoutesDeps {
  readonly keys: Pick<LandscapeKeys, 'encryptionKeyIds' | 'keyring'>;
  readonly store: Pick<Store, 'get'>;
  /** Rejects who does not run the landscape. */
  readonly guard: (request: HttpRequest) => Promise<unknown>;
}

/** The API of `chandlery keys status`: which keys this process has, and how far objects are encrypted with the active one. */
export function addEncryptionRoutes({ app }: HttpHost, { keys, store, guard }: EncryptionRoutesDeps): void {
  app.get('/admin/encryption-keys', async request => {
    await guard(request);
    const { activeKeyId } = keys.keyring;
    const pass = await readReencryption(store);
    return {
      keys: keys.encryptionKeyIds.map(key => ({ ...key, isActive: key.id === activeKeyId })),
      ...(pass?.keyId === activeKeyId && { reencryption: { ...pass, after: undefined } }),
    };
  });
}
