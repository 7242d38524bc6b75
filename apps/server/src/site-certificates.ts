import { createHash } from 'node:crypto';
import { isError } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import { ensureFleetNamespace, openAcmeIssuer, readAcmeSettings } from '@chandlery/fleet';
import { fleetCluster, fleetNamespace } from '@chandlery/fleet/kinds';
import { createKernelClient, type Kernel } from '@chandlery/kernel';
import {
  type HostCertificateStore,
  type HostCertificates,
  type Logger,
  OrderedHostCertificates,
  type Shutdown,
  systemClock,
} from '@chandlery/platform';

export interface SiteCertificateDeps {
  readonly kernel: Kernel;
  /** Certificates of the landscape's own authority. */
  readonly own: HostCertificates;
  readonly logger: Logger;
  readonly stopping: Shutdown;
}

/** The key of the setting. */
const settingName = 'orders.siteCertificates';

/** Names the account, as no product can be named. */
const accountName = 'orders.sites';

/** Returns the certificates of sites: those of an ACME server where the setting names one, else the landscape's own. */
export async function openSiteCertificates(given: unknown, deps: SiteCertificateDeps): Promise<HostCertificates> {
  const { kernel, own, logger, stopping } = deps;
  if (given === undefined) return own;
  const settings = readAcmeSettings(given, settingName);
  const client = stopping.use('client of certificates', createKernelClient(kernel, { cluster: fleetCluster }));
  await ensureFleetNamespace(client);
  const { issuer, domain, ...opened } = await openAcmeIssuer(settings, { client, account: accountName });
  stopping.use('ACME', opened);
  const certificates = new OrderedHostCertificates({
    issuer,
    store: secretStore(client),
    covers: host => host === domain || host.endsWith(`.${domain}`),
    fallback: own,
    clock: systemClock,
    logger,
  });
  return stopping.use('certificates of sites', certificates);
}

const secrets = { group: '', version: 'v1', plural: 'secrets', namespace: fleetNamespace } as const;

const nameOf = (hostName: string): string =>
  `site-certificate-${createHash('sha256').update(hostName).digest('hex').slice(0, 32)}`;

/** Certificates as Secrets, which are encrypted and the same in all replicas. */
function secretStore(client: Client): HostCertificateStore {
  return {
    read: async hostName => {
      try {
        const { data = {} } = (await client.get({ ...secrets, name: nameOf(hostName) })) as {
          data?: Record<string, string>;
        };
        return { certificatePem: decode(data['tls.crt']), privateKeyPem: decode(data['tls.key']) };
      } catch (error) {
        if (isError(error, 'NotFound')) return undefined;
        throw error;
      }
    },
    write: async (hostName, { certificatePem, privateKeyPem }) => {
      const name = nameOf(hostName);
      const data = { 'tls.crt': encode(certificatePem), 'tls.key': encode(privateKeyPem) };
      const annotations = { 'orders.chandlery.io/host': hostName };
      const metadata = { name, namespace: fleetNamespace, annotations };
      const secret = { apiVersion: 'v1', kind: 'Secret', type: 'kubernetes.io/tls', metadata, data };
      await client.patch({ ...secrets, name }, { type: 'apply', body: secret, force: true }, { fieldManager: 'sites' });
    },
  };
}

const encode = (text: string): string => Buffer.from(text).toString('base64');
const decode = (text = ''): string => Buffer.from(text, 'base64').toString();
