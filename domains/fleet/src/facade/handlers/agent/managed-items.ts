import { toError } from '@chandlery/api';
import { type Logger, LruCache } from '@chandlery/platform';
import { fleetNamespace } from '../../../kinds/index.ts';
import { instanceSecretKeys } from '../../../model/instance-secret.ts';
import type { ProductNames } from '../../../model/product-names.ts';
import type { InstanceRow } from '../../../registry/fleet-registry.ts';
import type { FacadeTables } from '../facade-deps.ts';
import { presentManaged } from './agent-view.ts';

/** Instances whose secrets are remembered. */
const cacheSize = 10_000;

interface InstanceSecrets {
  readonly revision: number;
  readonly tls: { readonly cert: string; readonly key: string } | null;
  readonly clientSecret: string | undefined;
}

/** Builds what agents receive of instances, each independently of the others. */
export class ManagedItems {
  readonly #readSecret: FacadeTables['readSecret'];
  readonly #logger: Logger;
  readonly #secrets = new LruCache<string, InstanceSecrets>(cacheSize);

  constructor({ readSecret, logger }: Pick<FacadeTables, 'readSecret'> & { readonly logger: Logger }) {
    this.#readSecret = readSecret;
    this.#logger = logger;
  }

  /** The items of all rows that can be built; the others are logged. */
  async buildAll(rows: readonly InstanceRow[], names: ProductNames, options: ItemOptions): Promise<readonly object[]> {
    const items = await Promise.all(rows.map(row => this.#tryBuild(row, names, options)));
    return items.filter(item => item !== undefined);
  }

  /** Secrets are fetched once per revision of the row. */
  async build(row: InstanceRow, names: ProductNames, { withSecrets }: ItemOptions): Promise<object> {
    const { spec, ...item } = presentManaged(row, names);
    const host = row.status.host ?? '';
    if (!withSecrets) return { ...item, spec: { ...spec, endpoint: { host, tls: null }, serviceAccounts: [] } };
    const { tls, clientSecret } = await this.#secretsOf(row);
    return { ...item, spec: { ...spec, endpoint: { host, tls }, serviceAccounts: serviceAccounts(row, clientSecret) } };
  }

  async #tryBuild(row: InstanceRow, names: ProductNames, options: ItemOptions): Promise<object | undefined> {
    try {
      return await this.build(row, names, options);
    } catch (thrown) {
      const { message } = toError(thrown);
      this.#logger.error('an instance is left out of the list for its agent', { instance: row.id, error: message });
      return undefined;
    }
  }

  async #secretsOf({ id, revision, status }: InstanceRow): Promise<InstanceSecrets> {
    const known = this.#secrets.get(id);
    if (known?.revision === revision) return known;
    if (status.secretName === undefined) return { revision, tls: null, clientSecret: undefined };
    const data = (await this.#readSecret(fleetNamespace, status.secretName)) ?? {};
    const cert = data[instanceSecretKeys.certificate];
    const key = data[instanceSecretKeys.privateKey];
    const tls = cert === undefined || key === undefined ? null : { cert, key };
    const secrets = { revision, tls, clientSecret: data[instanceSecretKeys.clientSecret] };
    this.#secrets.set(id, secrets);
    return secrets;
  }
}

/** What of an instance is wanted. */
export interface ItemOptions {
  /** With certificate, key and the credentials of the service account. */
  readonly withSecrets: boolean;
}

/** The client of the instance at the identity provider, as workloads know it. */
function serviceAccounts({ status }: InstanceRow, password: string | undefined): readonly object[] {
  const { ssoClientId: principal } = status;
  return principal === undefined || password === undefined ? [] : [{ name: 'default', principal, password }];
}
