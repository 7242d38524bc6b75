import { isError, toError } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import type { Logger } from '@chandlery/platform';
import { createInformer } from '@chandlery/runtime';
import { type MeshWorkloadCertificate, meshWorkloadCertificates } from '../../kinds/mesh-workload-certificate.ts';

/** Options of {@link deleteStoredKeys}. */
export interface StoredKeysOptions {
  /** Client of the platform cluster. Not disposed of. */
  readonly client: Client;
  readonly logger: Logger;
}

const retryMs = 5000;

/**
 * Deletes the private keys of workloads that earlier versions stored, until disposed of: replicas of an earlier version
 * may still run and store others.
 */
export function deleteStoredKeys({ client, logger }: StoredKeysOptions): AsyncDisposable {
  const { ref } = meshWorkloadCertificates;
  const warn = (error: unknown): void =>
    logger.warn('cannot delete a private key that an earlier version has stored, will be tried again', {
      error: toError(error).message,
    });
  const informer = createInformer<MeshWorkloadCertificate>({ client, ref, onError: warn });
  const remove = async (name: string): Promise<void> => {
    try {
      await client.delete({ ...ref, name });
      logger.info('a private key that an earlier version had stored is deleted', { name });
    } catch (error) {
      if (isError(error, 'NotFound') || stopped.signal.aborted) return;
      warn(error);
      const timer = setTimeout(() => void remove(name), retryMs).unref();
      stopped.signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
    }
  };
  const stopped = new AbortController();
  informer.listen({ added: ({ metadata }) => void remove(metadata.name ?? '') });
  informer.start();
  return {
    [Symbol.asyncDispose]: async () => {
      stopped.abort();
      await informer.stop();
    },
  };
}
