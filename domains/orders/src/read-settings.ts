import { ChandleryError } from '@chandlery/api';
import type { S3Options } from './adapters/blobs/s3-connection.ts';
import { normalizeHostName } from './kinds/index.ts';
import type { ArgoSettings } from './model/argo/argo-settings.ts';
import { isJsonObject } from './model/bodies/body-fields.ts';
import { otherDomains, type SiteDomains } from './model/sites/site-domains.ts';
import { defaultSettings, type OrdersSettings } from './model/tenant-limits.ts';

/** What an operator has set. */
export interface GivenSettings {
  readonly settings: OrdersSettings;
  /** Where blobs are kept. Undefined: in the data folder. */
  readonly s3: S3Options | undefined;
  /** Paths of modules with further service models. */
  readonly models: readonly string[];
  /** Ranges (CIDR) that containers may read from though they are not public. */
  readonly allowedRanges: readonly string[];
  /** Clusters to whose Argo orders are handed. */
  readonly argo: readonly ArgoSettings[];
  /** Which tenants may have sites in which domains. */
  readonly siteDomains: SiteDomains;
  /** Who certifies sites, as the server reads it. Undefined: the landscape's own authority. */
  readonly siteCertificates: unknown;
}

const argoTexts = ['cluster', 'namespace', 'instanceId', 'serviceAccount', 'executorServiceAccount'];
const serverKeys = ['url', 'token', 'caPem'];

const s3Keys = ['endpoint', 'region', 'bucket', 'accessKeyId', 'secretAccessKey', 'prefix'];

/** Returns the settings given, over the defaults. Throws `InvalidOption` for an unknown key or a value of another type. */
export function readOrdersSettings({
  s3,
  models,
  allowedRanges,
  argo,
  siteDomains,
  siteCertificates,
  ...given
}: Readonly<Record<string, unknown>>): GivenSettings {
  for (const [key, value] of Object.entries(given)) {
    if (!Object.hasOwn(defaultSettings, key)) throw invalid(key, 'is not known');
    if (!(typeof value === 'number' && Number.isSafeInteger(value) && value >= 0))
      throw invalid(key, 'must be a whole number that is not negative');
  }
  return {
    settings: { ...defaultSettings, ...(given as Partial<OrdersSettings>) },
    s3: s3 === undefined ? undefined : readS3(s3),
    models: readTexts('models', models),
    allowedRanges: readTexts('allowedRanges', allowedRanges),
    argo: readArgo(argo),
    siteDomains: readDomains(siteDomains),
    siteCertificates,
  };
}

function readTexts(key: string, given: unknown): readonly string[] {
  if (given === undefined) return [];
  if (!Array.isArray(given) || !given.every(text => typeof text === 'string' && text !== ''))
    throw invalid(key, 'must be a list of texts');
  return given as readonly string[];
}

function readArgo(given: unknown = []): readonly ArgoSettings[] {
  if (!Array.isArray(given)) throw invalid('argo', 'must be a list of maps');
  const names = new Set<unknown>();
  return given.map((entry: unknown, at) => {
    const key = `argo[${at}]`;
    if (!isJsonObject(entry)) throw invalid(key, 'must be a map');
    const { tenants, server, ...texts } = entry;
    checkTexts(key, texts, argoTexts);
    if (texts['cluster'] === undefined) throw invalid(`${key}.cluster`, 'is missing');
    if (names.has(texts['cluster'])) throw invalid(`${key}.cluster`, 'is there twice');
    names.add(texts['cluster']);
    if (tenants !== undefined) readTexts(`${key}.tenants`, tenants);
    if (server !== undefined) checkServer(`${key}.server`, server);
    return entry as unknown as ArgoSettings;
  });
}

function checkServer(key: string, server: unknown): void {
  if (!isJsonObject(server)) throw invalid(key, 'must be a map');
  checkTexts(key, server, serverKeys);
  const { url } = server;
  if (typeof url !== 'string' || !URL.canParse(url)) throw invalid(`${key}.url`, 'must be a URL');
}

function checkTexts(path: string, given: Readonly<Record<string, unknown>>, known: readonly string[]): void {
  for (const [key, value] of Object.entries(given)) {
    if (!known.includes(key)) throw invalid(`${path}.${key}`, 'is not known');
    if (typeof value !== 'string' || value === '') throw invalid(`${path}.${key}`, 'must be a text');
  }
}

function readDomains(given: unknown): SiteDomains {
  if (given === undefined) return {};
  if (!isJsonObject(given)) throw invalid('siteDomains', 'must be a map of domains to lists of namespaces');
  const entries = Object.entries(given).map(([key, tenants]) => {
    const domain = key === otherDomains ? key : normalizeHostName(key);
    if (domain === undefined) throw invalid(`siteDomains.${key}`, 'is no domain such as example.com');
    return [domain, readTexts(`siteDomains.${key}`, typeof tenants === 'string' ? [tenants] : tenants)] as const;
  });
  return Object.fromEntries(entries);
}

function readS3(given: unknown): S3Options {
  if (!isJsonObject(given)) throw invalid('s3', 'must be a map');
  checkTexts('s3', given, s3Keys);
  const missing = s3Keys.find(key => key !== 'prefix' && given[key] === undefined);
  if (missing !== undefined) throw invalid(`s3.${missing}`, 'is missing');
  if (!URL.canParse(String(given['endpoint']))) throw invalid('s3.endpoint', 'must be a URL');
  return given as unknown as S3Options;
}

const invalid = (key: string, why: string): ChandleryError =>
  new ChandleryError('InvalidOption', `the setting "${key}" of orders ${why}`, {
    hint: 'See domains/orders/README.md for all of them.',
  });
