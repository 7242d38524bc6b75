import { isError } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import type { Logger } from '@chandlery/platform';
import type { PlatformAdapter } from '../../ports.ts';
import { type BrokerKind, serviceCatalogKind } from './broker-object.ts';
import { BrokerObjectsAdapter } from './broker-objects-adapter.ts';
import { serviceBrokers } from './kinds.ts';
import { createOrderedServices } from './services/ordered-services.ts';
import { startServices } from './services/start-services.ts';

export interface KubernetesOptions {
  /** Disposed of with the adapter. */
  readonly client: Client;
  readonly logger: Logger;
  /** Where secrets with the credentials of brokers are. */
  readonly secretNamespace: string;
  /** With service-catalog: brokers are registered in this namespace only. */
  readonly targetNamespace?: string | undefined;
  /** By which the cluster trusts the service manager, PEM. */
  readonly caPem?: string | undefined;
  /** How long a call of a broker may take. Default 60,000. */
  readonly brokerTimeoutMs?: number;
  /** Between two looks at what a broker does in the background. Default 5,000. */
  readonly pollMs?: number;
  /** After the first failure of a broker. Default 5,000. */
  readonly retryMs?: number;
}

/** A cluster, by service-catalog where it is served, otherwise by kinds of our own, which are installed. */
export async function createKubernetesAdapter(options: KubernetesOptions): Promise<PlatformAdapter> {
  const { client, logger, secretNamespace, targetNamespace, caPem } = options;
  const catalogKind = serviceCatalogKind(secretNamespace, targetNamespace);
  if (await isServed(client, catalogKind)) {
    logger.info('registers brokers at service-catalog');
    return new BrokerObjectsAdapter({ client, kind: catalogKind, caPem, dispose: () => close(client) });
  }
  const { brokerTimeoutMs: timeoutMs = 60_000, pollMs = 5000, retryMs = 5000 } = options;
  const services = await startServices({ client, logger, timeoutMs, pollMs, retryMs });
  logger.info('registers brokers as kinds of services.chandlery.io');
  const { ref, apiVersion, kind } = serviceBrokers;
  const ownKind: BrokerKind = { ref, apiVersion, kind, secretNamespace, isSecretKept: true };
  const dispose = async () => {
    await services[Symbol.asyncDispose]();
    await close(client);
  };
  return new BrokerObjectsAdapter({ client, kind: ownKind, caPem, orders: createOrderedServices(client), dispose });
}

async function isServed(client: Client, { ref }: BrokerKind): Promise<boolean> {
  try {
    await client.list(ref, { limit: 1 });
    return true;
  } catch (error) {
    if (isError(error, 'NotFound')) return false;
    throw error;
  }
}

const close = (client: Client): Promise<void> => Promise.resolve(client[Symbol.asyncDispose]());
