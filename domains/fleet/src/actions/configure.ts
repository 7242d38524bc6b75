import { commitAnew } from '@chandlery/registry';
import { fleetError } from '../errors.ts';
import { fleetNamespace } from '../kinds/index.ts';
import type { FleetConfiguration } from '../model/configuration/configuration.ts';
import { type ConfigurationSecrets, splitSecrets } from '../model/configuration/configuration-secrets.ts';
import { defaultDocument, defaultProduct } from '../model/configuration/default-document.ts';
import type { Problem } from '../model/configuration/document-value.ts';
import { readConfiguration } from '../model/configuration/read-configuration.ts';
import { createRow, type FleetWrite, type ProductRow, updateRow } from '../registry/fleet-registry.ts';
import type { ActionDeps } from './action-deps.ts';
import { configuredClusterWrites } from './configured-clusters.ts';

/** A document, and who puts it into force. */
export interface ConfigureRequest {
  readonly document: unknown;
  readonly username: string;
}

/** What a document put into force. */
export interface ConfigureResult {
  readonly productId: string;
  readonly warnings: readonly Problem[];
}

/**
 * Puts a document into force in one commit: the product, its secrets, and the clusters of the document. When it resolves,
 * this process decides by it; when it rejects, nothing has changed. Rejects with 37 and all problems of the document.
 */
export async function configure(deps: ActionDeps, { document, username }: ConfigureRequest): Promise<ConfigureResult> {
  const read = readConfiguration(document);
  if ('problems' in read) throw invalidDocument(read.problems);
  const { configuration } = read;
  const productId = configuration.product.id;
  const warnings = [...read.warnings, ...zoneWarnings(deps, configuration)];
  const parts = splitSecrets(document as Readonly<Record<string, unknown>>);
  await commitAnew<FleetWrite>(deps.registry, () => [
    productWrite(deps, configuration, { document: parts.document, username }),
    secretWrite(productId, parts.secrets),
    ...configuredClusterWrites(deps, configuration),
  ]);
  deps.logger.info('a configuration is in force', { product: productId, username, warnings: warnings.length });
  return { productId, warnings };
}

/** Says that names and records of present instances stay in the zone that the product had. */
function zoneWarnings({ registry }: ActionDeps, { product, dns }: FleetConfiguration): readonly Problem[] {
  const former = registry.configurations.get(product.id)?.configuration.dns;
  const count = registry.instances.count('product', product.id);
  if (former === undefined || former.type === 'none' || count === 0) return [];
  if (dns.type !== 'none' && dns.domain === former.domain) return [];
  const message = `is another zone: ${count} instances were made before, and those with a name in ${former.domain} keep it; their records stay in that zone, also when they are deleted`;
  return [{ path: 'dns', message }];
}

/** Makes the built-in product, unless it is there; gives it its program where it has none. */
export async function ensureDefaultProduct(
  deps: ActionDeps,
  options: { readonly program?: ProductRow['spec']['program'] } = {},
): Promise<void> {
  const { program } = options;
  const { product: _, ...document } = defaultDocument;
  await commitAnew<FleetWrite>(deps.registry, () => {
    const row = deps.registry.products.get(defaultProduct.id);
    const spec = { kind: defaultProduct.kind, configuration: document, ...(program === undefined ? {} : { program }) };
    if (row === undefined) return [createRow({ table: 'products', id: defaultProduct.id, tenant: '', spec })];
    if (program === undefined || row.spec.program !== undefined) return [];
    return [updateRow({ table: 'products', row, spec: { ...row.spec, program } })];
  });
}

/** The name of the Secret that holds the secrets of a product's document. */
export const configurationSecretName = (productId: string): string => `configuration-${productId}`;

function productWrite(
  { registry }: ActionDeps,
  { product }: FleetConfiguration,
  { document, username }: { readonly document: Readonly<Record<string, unknown>>; readonly username: string },
): FleetWrite {
  const { product: _, ...configuration } = document;
  const row = registry.products.get(product.id);
  const spec = { kind: product.kind, configuration, secretName: configurationSecretName(product.id) };
  const status = { configuredBy: username };
  if (row === undefined) return createRow({ table: 'products', id: product.id, tenant: '', spec, status });
  const { program } = row.spec;
  return updateRow({
    table: 'products',
    row,
    spec: { ...spec, ...(program === undefined ? {} : { program }) },
    status: { ...row.status, ...status },
  });
}

const secretWrite = (productId: string, secrets: ConfigurationSecrets): FleetWrite => ({
  type: 'put-secret',
  tenant: fleetNamespace,
  name: configurationSecretName(productId),
  data: secrets,
});

function invalidDocument(problems: readonly Problem[]) {
  const lines = problems.map(({ path, message }) => (path === '' ? message : `${path} ${message}`));
  return fleetError(37, `The configuration is not valid: ${lines.join('; ')}`, { problems });
}
