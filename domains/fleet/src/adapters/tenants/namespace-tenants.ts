import type { KubeObject } from '@chandlery/api';
import { globalTenant } from '@chandlery/brokers/kinds';
import type { Client } from '@chandlery/client';
import type { Logger } from '@chandlery/platform';
import { createInformer, type Informer } from '@chandlery/runtime';
import type { TenantOrganisations } from '../../ports.ts';

/** The label of a tenant's namespace that names its organisation. The landscape and operators alone may set it. */
const organisationLabel = 'osb.chandlery.io/organisation';

const organisationOf = ({ metadata }: KubeObject): string =>
  metadata.labels?.[organisationLabel] ?? metadata.name ?? '';

interface NamespaceTenantsOptions {
  /** Of the cluster with the tenants' namespaces. Not disposed of. */
  readonly client: Client;
  readonly logger: Logger;
}

/** The organisations of tenants, from the labels of their namespaces. */
export class NamespaceTenants implements TenantOrganisations, AsyncDisposable {
  readonly #informer: Informer;

  constructor({ client, logger }: NamespaceTenantsOptions) {
    this.#informer = createInformer({
      client,
      ref: { group: '', version: 'v1', plural: 'namespaces' },
      transform: nameAndLabels,
      indexes: { organisation: namespace => [organisationOf(namespace)] },
      onError: error => logger.debug('cannot watch namespaces', { error: error.message }),
    });
    this.#informer.start();
  }

  async organisationOf(tenant: string): Promise<string> {
    await this.#informer.synced;
    const namespace = this.#informer.get(undefined, tenant);
    return namespace === undefined ? tenant : organisationOf(namespace);
  }

  async tenantOf(organisation: string): Promise<string> {
    await this.#informer.synced;
    const names = this.#informer.byIndex('organisation', organisation).map(({ metadata }) => metadata.name ?? '');
    return names.sort()[0] ?? globalTenant;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#informer.stop();
  }
}

const nameAndLabels = ({ apiVersion, kind, metadata: { name = '', labels, uid, resourceVersion } }: KubeObject) =>
  ({ apiVersion, kind, metadata: { name, labels: labels ?? {}, uid, resourceVersion } }) as KubeObject;
