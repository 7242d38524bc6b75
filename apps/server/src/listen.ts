import type { HttpHost } from '@chandlery/http';
import type { Kernel } from '@chandlery/kernel';
import { type Orders, readOrdersSettings } from '@chandlery/orders';
import {
  CertificateRenewal,
  checkPortsFree,
  IssuedHostCertificates,
  issueServerCertificate,
  type Logger,
  type ServerConfig,
  type Shutdown,
  serverNames,
  systemClock,
  thisMachine,
} from '@chandlery/platform';
import type { LandscapeAuthority } from './authority/landscape-authority.ts';
import { openSiteCertificates } from './site-certificates.ts';

/** Where the landscape is reached. */
export interface Addresses {
  readonly url: string;
  readonly httpUrl: string | undefined;
}

/** Throws, naming it, when a port is taken. */
export async function checkPorts({ host, port, httpPort, xdsPort }: ServerConfig): Promise<void> {
  const wanted = [
    { host, port, flag: '--port' },
    { host, port: xdsPort, flag: '--xds-port' },
  ];
  if (httpPort !== undefined) wanted.push({ host: '127.0.0.1', port: httpPort, flag: '--http-port' });
  await checkPortsFree(wanted.filter(({ port: number }) => number !== 0));
}

export interface ListenDeps {
  readonly host: HttpHost;
  readonly authority: Pick<LandscapeAuthority, 'current' | 'onChange' | 'trustPem'>;
  readonly orders: Pick<Orders, 'servesHost'>;
  readonly kernel: Kernel;
  readonly logger: Logger;
  readonly stopping: Shutdown;
}

/** Opens the ports, with a server certificate that is renewed in time. */
export async function listen(
  { host: address, port: wantedPort, httpPort, publicUrl, orders: settings }: ServerConfig,
  { host, authority, orders, kernel, logger, stopping }: ListenDeps,
): Promise<Addresses> {
  const names = serverNames(address, thisMachine(), publicUrl === undefined ? [] : [hostOf(publicUrl)]);
  const renewal = new CertificateRenewal({
    issue: now => issueServerCertificate(authority.current(), names, now),
    onRenewed: () => host.renewTls(tls()),
    clock: systemClock,
  });
  stopping.use('certificate renewal', renewal);
  stopping.add(
    'certificate authority of the listener',
    authority.onChange(() => renewal.renew()),
  );
  const tls = () => ({
    key: renewal.current.privateKeyPem,
    cert: renewal.current.certificatePem,
    clientCa: authority.trustPem,
  });
  const own = new IssuedHostCertificates({
    authority: authority.current,
    isServed: name => orders.servesHost(name),
    clock: systemClock,
  });
  const { siteCertificates } = readOrdersSettings(settings);
  const hostCertificates = await openSiteCertificates(siteCertificates, { kernel, own, logger, stopping });
  const { port } = await host.listen({ host: address, port: wantedPort, tls: tls(), hostCertificates });
  stopping.add('listeners', () => host.close());
  const plain = httpPort === undefined ? undefined : await host.listenPlain({ port: httpPort });
  return { url: `https://${reachable(address)}:${port}`, httpUrl: plain && `http://127.0.0.1:${plain.port}` };
}

/** Clients that come through a load balancer verify its name. */
const hostOf = (url: string): string => new URL(url).hostname.replace(/^\[(.*)\]$/, '$1');

const reachable = (address: string): string =>
  address === '0.0.0.0' || address === '::' ? '127.0.0.1' : address.includes(':') ? `[${address}]` : address;
