import { isError, type KubeObject, toError } from '@chandlery/api';
import type { Client, ResourceRef } from '@chandlery/client';
import type { Logger } from '@chandlery/platform';
import type { Informer } from '@chandlery/runtime';

export interface KeptConfig {
  readonly client: Pick<Client, 'create'>;
  readonly ref: ResourceRef;
  /** Created when none of its name exists; changes by operators stay. */
  readonly config: KubeObject;
  readonly informer: Informer;
  readonly logger: Logger;
}

/** Creates a missing configuration, now and after each deletion: deleting it resets it. */
export async function keepConfig({ client, ref, config, informer, logger }: KeptConfig): Promise<Disposable> {
  const create = async (): Promise<void> => {
    await client.create(ref, config).catch((error: unknown) => {
      if (!isError(error, 'AlreadyExists')) throw error;
    });
  };
  await create();
  const unlisten = informer.listen({
    deleted: ({ metadata }) => {
      if (metadata.name !== config.metadata.name) return;
      create().catch((error: unknown) => logger.warn(`cannot reset ${ref.plural}: ${toError(error).message}`));
    },
  });
  return { [Symbol.dispose]: unlisten };
}
