import type { Logger } from '@chandlery/platform';
import { fleetNamespace } from '../kinds/index.ts';
import type { FleetConfiguration } from '../model/configuration/configuration.ts';
import { hiddenSecrets } from '../model/configuration/configuration-secrets.ts';
import { type ReadConfiguration, readConfiguration } from '../model/configuration/read-configuration.ts';
import type { ProductRow } from './fleet-tables.ts';

/** A product with its configuration in force. */
export interface ConfiguredProduct {
  readonly row: ProductRow;
  /** Its secrets are hidden: see {@link Configurations.readWithSecrets}. */
  readonly configuration: FleetConfiguration;
}

interface ConfigurationDeps {
  readonly getProduct: (id: string) => ProductRow | undefined;
  readonly readSecret: (tenant: string, name: string) => Promise<Readonly<Record<string, string>> | undefined>;
  readonly logger: Logger;
}

/** Configurations of products, read once for each revision. */
export class Configurations {
  readonly #deps: ConfigurationDeps;
  readonly #cached = new Map<string, { readonly revision: number; readonly product: ConfiguredProduct | undefined }>();

  constructor(deps: ConfigurationDeps) {
    this.#deps = deps;
  }

  /**
   * Returns a product with the configuration that is in force now; undefined when there is no such product. Where an operator
   * wrote a configuration that cannot be read, past `configure`, the former one stays in force.
   */
  get(id: string): ConfiguredProduct | undefined {
    const row = this.#deps.getProduct(id);
    const cached = this.#cached.get(id);
    if (row === undefined) {
      this.#cached.delete(id);
      return undefined;
    }
    if (cached?.revision === row.revision) return cached.product;
    const product = this.#read(row, cached?.product);
    this.#cached.set(id, { revision: row.revision, product });
    return product;
  }

  /** Reads the configuration of a product with its secrets, for those who connect to other systems. Rejects when it cannot be read. */
  async readWithSecrets(row: ProductRow): Promise<FleetConfiguration> {
    const { secretName } = row.spec;
    const secrets = secretName === undefined ? {} : await this.#deps.readSecret(fleetNamespace, secretName);
    const read = readConfiguration(documentOf(row), secrets);
    if ('configuration' in read) return read.configuration;
    throw new Error(`the configuration of product "${row.id}" cannot be read: ${problemsText(read)}`);
  }

  #read(row: ProductRow, former: ConfiguredProduct | undefined): ConfiguredProduct | undefined {
    const document = documentOf(row);
    const read = readConfiguration(document, hiddenSecrets(document));
    if ('configuration' in read) return { row, configuration: read.configuration };
    const problems = problemsText(read);
    this.#deps.logger.error('the configuration of a product cannot be read', { product: row.id, problems });
    return former && { row, configuration: former.configuration };
  }
}

/** The document of a product, without its secrets. */
export const documentOf = ({ id, spec }: ProductRow): Readonly<Record<string, unknown>> => ({
  ...(spec.configuration as Readonly<Record<string, unknown>>),
  product: { id, kind: spec.kind },
});

const problemsText = ({ problems }: Extract<ReadConfiguration, { problems: unknown }>): string =>
  problems.map(({ path, message }) => `${path} ${message}`).join('; ');
