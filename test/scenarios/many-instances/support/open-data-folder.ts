import { generateKeyPairSync } from 'node:crypto';
import { join } from 'node:path';
import type { KindDeclaration } from '@chandlery/api';
import type { AtomicClient } from '@chandlery/client';
import { createKernelClient, Kernel, openStore, soleLeader } from '@chandlery/kernel';
import { openLandscapeKeys, ServiceAccountTokens } from '@chandlery/platform';

/** What of a landscape is opened. */
export interface DataFolderOptions {
  /** The logical cluster. */
  readonly cluster: string;
  /** Kinds that every logical cluster has besides the built-in ones. */
  readonly kinds: readonly KindDeclaration[];
}

/** Opens the data folder of a landscape that does not run, to fill it behind the server's back. The stack closes it. */
export async function openDataFolder(
  dataDir: string,
  { cluster, kinds }: DataFolderOptions,
  stack: AsyncDisposableStack,
): Promise<AtomicClient> {
  const keys = openLandscapeKeys(join(dataDir, 'keys'), { now: new Date() });
  const store = stack.use(await openStore({ type: 'sqlite', folder: dataDir }));
  const tokens = new ServiceAccountTokens({
    signingKey: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey,
  });
  const kernel = new Kernel({
    store,
    cipher: keys.keyring,
    leadership: soleLeader,
    kinds,
    tokens: {
      issue: async ({ audiences, expirationSeconds = 60, ...request }) =>
        tokens.issue({ ...request, audiences, expirationSeconds }),
    },
    onFailure: () => undefined,
  });
  stack.use(kernel);
  await kernel.start();
  return stack.use(createKernelClient(kernel, { cluster }));
}
