import { isError } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import { hash8, shorten, systemNamespace } from '@chandlery/clusters/kinds';
import type { Logger } from '@chandlery/platform';
import { type AccessRecord, accessRecords } from '@chandlery/providers/kinds';
import { createInformer, type Informer } from '@chandlery/runtime';
import { fieldManagerOf, type Identity, instanceIdOf, sdkNames } from '../model/names.ts';
import type { ClusterRole } from '../objects/cluster-connection.ts';
import type { Place } from '../sync/syncer.ts';

export interface AccessRecordsOptions {
  readonly provider: string;
  /** Not disposed of. */
  readonly platform: Client;
  readonly logger: Logger;
}

/** A cluster that a service object is about to use. */
export interface UsedCluster {
  readonly object: Identity;
  readonly role: ClusterRole;
  readonly cluster: Place;
}

const at = (name: string) => ({ ...accessRecords.ref, namespace: systemNamespace, name });
const byObject = 'object';
const keyOfObject = ({ namespace, name }: Place): string => `${namespace}/${name}`;

/**
 * Records on the platform cluster which clusters service objects have used. Requests may be deleted with a control
 * plane, while the objects created through them stay on a shared cluster. A platform that does not serve the kind, or
 * denies the writes, is served without records.
 */
export class AccessRecords implements AsyncDisposable {
  readonly informer: Informer<AccessRecord>;
  readonly #options: AccessRecordsOptions;
  #isRejected = false;

  constructor(options: AccessRecordsOptions) {
    const { provider, platform: client, logger } = options;
    this.#options = options;
    this.informer = createInformer<AccessRecord>({
      client,
      ref: { ...accessRecords.ref, namespace: systemNamespace },
      labelSelector: `${sdkNames.managedByLabel}=${shorten(provider)}`,
      indexes: { [byObject]: ({ spec }) => [keyOfObject(spec.object)] },
      onError: error => logger.debug('the watch of AccessRecords failed', { error }),
    });
    this.informer.start();
  }

  /** Records that a service object uses a cluster; resolves when the record is stored. */
  async remember(used: UsedCluster, signal: AbortSignal): Promise<void> {
    const record = recordFor(used, this.#options.provider);
    const { name = '', annotations = {} } = record.metadata;
    const known = this.informer.get(systemNamespace, name);
    const policy = annotations[sdkNames.policyAnnotation];
    if (known !== undefined && known.metadata.annotations?.[sdkNames.policyAnnotation] === policy) return;
    const { platform, provider, logger } = this.#options;
    const options = { fieldManager: fieldManagerOf(provider), signal };
    try {
      await platform.patch(at(name), { type: 'apply', body: record, force: true }, options);
    } catch (error) {
      if (!isError(error, 'NotFound', 'Forbidden')) throw error;
      if (!this.#isRejected)
        logger.warn('the platform keeps no AccessRecords; what orders lose cannot be found', { error });
      this.#isRejected = true;
    }
  }

  /** Returns the recorded clusters of a service object, from the cache. */
  of(key: string): readonly AccessRecord[] {
    return this.informer.byIndex(byObject, key);
  }

  /** Deletes a record: nothing of the service object is left on the cluster, or the cluster is deleted. */
  async forget({ metadata: { name = '', uid } }: AccessRecord, signal: AbortSignal): Promise<void> {
    const preconditions = uid === undefined ? {} : { uid };
    await this.#options.platform.delete(at(name), { signal, preconditions }).catch((error: unknown) => {
      if (!isError(error, 'NotFound')) throw error;
    });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.informer.stop();
  }
}

/**
 * Builds one record for each service object, role and cluster: an object that moves to another cluster leaves the
 * record of the former one.
 */
function recordFor({ object, role, cluster }: UsedCluster, provider: string): AccessRecord {
  const { namespace, name, deletionPolicy } = object;
  const id = hash8(namespace, name, role, cluster.namespace, cluster.name);
  return accessRecords.object(
    {
      name: shorten(`${provider}--${name}--${role}--${id}`.toLowerCase()),
      namespace: systemNamespace,
      labels: { [sdkNames.managedByLabel]: shorten(provider), [sdkNames.instanceLabel]: instanceIdOf(object) },
      annotations: {
        [sdkNames.objectAnnotation]: keyOfObject(object),
        ...(deletionPolicy && { [sdkNames.policyAnnotation]: deletionPolicy }),
      },
    },
    { provider, object: { namespace, name }, role, cluster: { namespace: cluster.namespace, name: cluster.name } },
  );
}
