import type { FleetConfiguration, TokenSettings } from './configuration.ts';
import { type ConfigurationSecrets, joinSecrets } from './configuration-secrets.ts';
import { configurationWarnings } from './configuration-warnings.ts';
import { defaultInstanceTypes, defaultProviders } from './default-document.ts';
import { DocumentValue, type Problem } from './document-value.ts';
import { readClusters } from './read-clusters.ts';
import { readDns } from './read-dns.ts';
import { readInstanceTypes } from './read-instance-types.ts';
import { readProviders } from './read-providers.ts';
import { readQuotaList } from './read-quota-list.ts';
import { readCertificates, readMetrics, readSso, readTerms } from './read-services.ts';
import { readSettings } from './read-settings.ts';

/** What a document is worth: a configuration with warnings, or all that is wrong with it. */
export type ReadConfiguration =
  | { readonly configuration: FleetConfiguration; readonly warnings: readonly Problem[] }
  | { readonly problems: readonly Problem[] };

const keys = [
  'product',
  'tokens',
  'settings',
  'instance_types',
  'supported_providers',
  'clusters',
  'registered_users_per_organisation',
  'registered_service_accounts',
  'deny_list',
  'access_list',
  'dns',
  'sso',
  'certificates',
  'terms',
  'metrics',
] as const;

type Field = (key: (typeof keys)[number]) => DocumentValue;

/** Reads a document as a whole. Secrets that were taken out of it come beside it. */
export function readConfiguration(document: unknown, secrets: ConfigurationSecrets = {}): ReadConfiguration {
  const problems: Problem[] = [];
  const root = new DocumentValue(withSecrets(document, secrets), '', problems);
  if (root.isAbsent) root.reject('the document is empty');
  const configuration = readSections(root.fields(keys), problems);
  return problems.length > 0 ? { problems } : { configuration, warnings: configurationWarnings(configuration) };
}

function readSections(field: Field, problems: Problem[]): FleetConfiguration {
  const product = readProduct(field('product'));
  const instanceTypes = readInstanceTypes(orDefault(field('instance_types'), defaultInstanceTypes, problems));
  const typeIds = [...instanceTypes.keys()];
  const settings = readSettings(field('settings'));
  const terms = readTerms(field('terms'));
  const clusters = readClusters(field('clusters'), { singular: product.kind.toLowerCase(), typeIds });
  if (settings.enableTermsAcceptance && terms === undefined)
    field('terms').reject('is required, because settings.enable_terms_acceptance is true');
  return {
    product,
    settings,
    instanceTypes,
    terms,
    tokens: readTokens(field('tokens')),
    providers: readProviders(orDefault(field('supported_providers'), defaultProviders(typeIds), problems), typeIds),
    clusters,
    clusterIds: new Set(clusters.map(({ clusterId }) => clusterId)),
    quota: readQuotaList(field('registered_users_per_organisation'), field('registered_service_accounts')),
    denyList: readNames(field('deny_list')),
    accessList: readNames(field('access_list')),
    dns: readDns(field('dns'), product.id),
    sso: readSso(field('sso')),
    certificates: readCertificates(field('certificates')),
    metrics: readMetrics(field('metrics')),
  };
}

const idPattern = /^[a-z]([-a-z0-9]*[a-z0-9])?$/;
const kindPattern = /^[A-Z][A-Za-z0-9]*$/;
const maxNameLength = 40;

/** Ids whose paths are taken: by the landscape's own routes, and by routes beside those of a product's instances. */
const reservedIds: ReadonlySet<string> = new Set([
  'fleet',
  'admin',
  'agent-clusters',
  'audit',
  'cloud_providers',
  'clusters',
  'errors',
  'metrics',
  'openapi',
  'quota',
  'status',
]);

function readProduct(value: DocumentValue): FleetConfiguration['product'] {
  if (value.isAbsent) value.reject('is required');
  const field = value.fields(['id', 'kind']);
  const [id, kind] = value.isAbsent ? ['', ''] : [field('id').text(), field('kind').text()];
  if (reservedIds.has(id)) field('id').reject(`must not be "${id}", which is reserved`);
  if (id !== '' && !(idPattern.test(id) && id.length <= maxNameLength))
    field('id').reject(
      `must begin with a letter and consist of at most ${maxNameLength} lower-case letters, digits and "-"`,
    );
  if (kind !== '' && !(kindPattern.test(kind) && kind.length <= maxNameLength))
    field('kind').reject(`must begin with a capital and consist of at most ${maxNameLength} letters and digits`);
  return { id, kind };
}

function readTokens(value: DocumentValue): TokenSettings {
  const field = value.fields(['user_issuer', 'agent_issuer', 'admin_issuer']);
  return {
    userIssuer: field('user_issuer').optionalText(),
    agentIssuer: field('agent_issuer').optionalText(),
    adminIssuer: field('admin_issuer').optionalText(),
  };
}

const readNames = (value: DocumentValue): ReadonlySet<string> => new Set(value.items().map(item => item.identifier()));

/** A section, or its default where it is absent or an empty list. */
function orDefault(value: DocumentValue, fallback: unknown, problems: Problem[]): DocumentValue {
  const isEmpty = Array.isArray(value.value) && value.value.length === 0;
  return value.isAbsent || isEmpty ? new DocumentValue(fallback, value.path, problems) : value;
}

const withSecrets = (document: unknown, secrets: ConfigurationSecrets): unknown =>
  typeof document === 'object' && document !== null && !Array.isArray(document)
    ? joinSecrets(document as Readonly<Record<string, unknown>>, secrets)
    : document;
