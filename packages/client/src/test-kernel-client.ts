import { createKernelClient, Kernel, onboardingCluster, openStore, soleLeader } from '@chandlery/kernel';
import { tempFolder } from '@chandlery/testing';
import type { OpenedClient } from './contract/test-world.ts';

/** Nothing here is secret. */
const noCipher = { encrypt: (plaintext: Buffer) => plaintext, decrypt: (ciphertext: Buffer) => ciphertext };

/** A client in process, of a kernel on a store of its own. */
export async function openKernelClient(): Promise<OpenedClient> {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await tempFolder());
  const store = stack.use(await openStore({ type: 'sqlite', folder: folder.path }));
  const onFailure = (what: string, error: unknown): never => {
    throw new Error(`${what} failed`, { cause: error });
  };
  const kernel = stack.use(new Kernel({ store, cipher: noCipher, leadership: soleLeader, onFailure }));
  await kernel.start();
  const client = stack.use(createKernelClient(kernel, { cluster: onboardingCluster }));
  const parts = stack.move();
  return {
    client,
    forgetHistory: async () => store.compact(await store.currentRevision()),
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}
