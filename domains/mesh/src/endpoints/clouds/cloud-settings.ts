import { X509Certificate } from 'node:crypto';
import { ChandleryError, isJsonObject } from '@chandlery/api';
import { checkTestEndpoint } from './cloud-http.ts';

const cloudNames = ['aws', 'azure', 'google'] as const;
export type CloudName = (typeof cloudNames)[number];

/** What the operator has set about clouds. */
export interface CloudSettings {
  /**
   * Accounts and queues of events, such as `aws:123456789012`, that may be read with the credentials of the server: by
   * cluster for all of its namespaces, or by `cluster/namespace`.
   */
  readonly serverCredentials: Readonly<Record<string, readonly string[]>>;
  /** Certificates with which AWS signs the identity documents of machines (PEM), by region. */
  readonly awsIdentityCertificates: Readonly<Record<string, string>>;
  /** Authorities that issue the certificates of Azure's metadata service (PEM). */
  readonly azureIdentityAuthorities: readonly string[];
  /** Addresses of test servers in place of the APIs of clouds. */
  readonly testEndpoints: Readonly<Partial<Record<CloudName, string>>>;
}

/** Reads the setting `clouds` of the server. Throws `InvalidOption` for an unknown key or a value of another type. */
export function readCloudSettings(given: Readonly<Record<string, unknown>>): CloudSettings {
  const {
    serverCredentials = {},
    testEndpoints = {},
    awsIdentityCertificates = {},
    azureIdentityAuthorities = [],
    ...unknown
  } = given;
  const [key] = Object.keys(unknown);
  if (key !== undefined) throw invalid(key, 'is not known');
  return {
    serverCredentials: readAccounts(serverCredentials),
    awsIdentityCertificates: readCertificates(awsIdentityCertificates),
    azureIdentityAuthorities: readAuthorities(azureIdentityAuthorities),
    testEndpoints: readEndpoints(testEndpoints),
  };
}

function readAccounts(given: unknown): CloudSettings['serverCredentials'] {
  if (!isJsonObject(given)) throw invalid('serverCredentials', 'must be a map of clusters');
  const pattern = new RegExp(`^(${cloudNames.join('|')}):[-A-Za-z0-9.:_/~+]+$`);
  const isAccount = (account: unknown): boolean => typeof account === 'string' && pattern.test(account);
  for (const [cluster, accounts] of Object.entries(given)) {
    if (!Array.isArray(accounts) || !accounts.every(isAccount))
      throw invalid(`serverCredentials.${cluster}`, 'must be a list of accounts, such as aws:123456789012');
  }
  return given as CloudSettings['serverCredentials'];
}

/** Whether the credentials of the server may be used in a namespace for an account or a queue of events. */
export const isAllowed = (
  { serverCredentials }: Pick<CloudSettings, 'serverCredentials'>,
  { cluster, namespace, id }: { readonly cluster: string; readonly namespace: string; readonly id: string },
): boolean =>
  [cluster, `${cluster}/${namespace}`].some(
    place => Object.hasOwn(serverCredentials, place) && serverCredentials[place]?.includes(id) === true,
  );

function readCertificates(given: unknown): CloudSettings['awsIdentityCertificates'] {
  if (!isJsonObject(given)) throw invalid('awsIdentityCertificates', 'must be a map of regions');
  for (const [region, pem] of Object.entries(given))
    if (!isCertificate(pem)) throw invalid(`awsIdentityCertificates.${region}`, 'must be a certificate in PEM');
  return given as CloudSettings['awsIdentityCertificates'];
}

function readAuthorities(given: unknown): CloudSettings['azureIdentityAuthorities'] {
  if (!Array.isArray(given) || !given.every(isCertificate))
    throw invalid('azureIdentityAuthorities', 'must be a list of certificates in PEM');
  return given as CloudSettings['azureIdentityAuthorities'];
}

function isCertificate(pem: unknown): boolean {
  try {
    return typeof pem === 'string' && new X509Certificate(pem).publicKey.type === 'public';
  } catch {
    return false;
  }
}

function readEndpoints(given: unknown): CloudSettings['testEndpoints'] {
  if (!isJsonObject(given)) throw invalid('testEndpoints', 'must be a map of clouds');
  const entries = Object.entries(given).map(([name, url]) => {
    if (!cloudNames.includes(name as CloudName)) throw invalid(`testEndpoints.${name}`, 'is not a cloud');
    return [name, checkTestEndpoint(url, `clouds.testEndpoints.${name}`)];
  });
  return Object.fromEntries(entries) as CloudSettings['testEndpoints'];
}

const invalid = (key: string, why: string): ChandleryError =>
  new ChandleryError('InvalidOption', `the setting "clouds.${key}" ${why}`, {
    hint: 'See docs/mesh-clouds.md for the settings of clouds.',
  });
