import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { hostname, networkInterfaces } from 'node:os';
import { type IssuedCertificate, issueCertificate } from '../pki/issue-certificate.ts';
import type { IssuingAuthority } from '../pki/issuing-authority.ts';
import type { Clock } from '../time/clock.ts';

/** What the server is called: everything a client may put into its address. */
export interface ServerNames {
  readonly dnsNames: readonly string[];
  readonly ipAddresses: readonly string[];
}

/** What the machine knows about itself. */
export interface MachineNames {
  readonly hostName: string;
  readonly addresses: readonly string[];
}

const validMs = 90 * 24 * 60 * 60 * 1000;
const checkEveryMs = 60 * 60 * 1000;
const anyAddress = ['0.0.0.0', '::', ''];

/** Asks this machine for its name and addresses. */
export const thisMachine = (): MachineNames => ({
  hostName: hostname(),
  addresses: Object.values(networkInterfaces()).flatMap(addresses => (addresses ?? []).map(({ address }) => address)),
});

/**
 * The names for a server that listens on `host`: always the loopback ones, the machine's own name, and the host; all of
 * the machine's addresses too when it listens on every one of them.
 */
export function serverNames(host: string, machine: MachineNames, more: readonly string[] = []): ServerNames {
  const listensEverywhere = anyAddress.includes(host);
  const names = [
    'localhost',
    '127.0.0.1',
    '::1',
    machine.hostName,
    ...(listensEverywhere ? machine.addresses : [host]),
    ...more,
  ];
  const usable = [...new Set(names.map(name => name.toLowerCase()))].filter(name => !name.includes('%'));
  return {
    dnsNames: usable.filter(name => isIP(name) === 0 && isHostName(name)),
    ipAddresses: usable.filter(name => isIP(name) !== 0),
  };
}

/** Issues the server's certificate, for ninety days. A new one is made at each start. */
export function issueServerCertificate(
  { authority, chainPem }: IssuingAuthority,
  names: ServerNames,
  now: Date,
): IssuedCertificate {
  const issued = issueCertificate(authority, {
    commonName: 'chandlery',
    ...names,
    usages: ['server'],
    now,
    notAfter: new Date(now.getTime() + validMs),
  });
  return { ...issued, certificatePem: `${issued.certificatePem}${chainPem}` };
}

/** True from two thirds of a certificate's life on. */
export function isRenewalDue(
  { notBefore, notAfter }: { readonly notBefore: Date; readonly notAfter: Date },
  now: Date,
): boolean {
  const life = notAfter.getTime() - notBefore.getTime();
  return now.getTime() >= notBefore.getTime() + (life * 2) / 3;
}

/** When a certificate in PEM begins and ends, for {@link isRenewalDue}. */
export function certificatePeriod(certificatePem: string): { readonly notBefore: Date; readonly notAfter: Date } {
  const { validFrom, validTo } = new X509Certificate(certificatePem);
  return { notBefore: new Date(validFrom), notAfter: new Date(validTo) };
}

/** How a certificate is renewed. */
export interface RenewalOptions {
  readonly issue: (now: Date) => IssuedCertificate;
  /** Called with each new certificate; hand it to `server.setSecureContext`. */
  readonly onRenewed: (certificate: IssuedCertificate) => void;
  readonly clock: Clock;
  /** Default: one hour. */
  readonly checkEveryMs?: number;
}

/** Watches over a certificate and replaces it in good time. Does not keep the process alive. */
export class CertificateRenewal implements Disposable {
  readonly #options: RenewalOptions;
  readonly #timer: NodeJS.Timeout;
  #current: IssuedCertificate;

  constructor(options: RenewalOptions) {
    this.#options = options;
    this.#current = options.issue(options.clock.now());
    this.#timer = setInterval(() => this.check(), options.checkEveryMs ?? checkEveryMs).unref();
  }

  get current(): IssuedCertificate {
    return this.#current;
  }

  /** Renews now if it is time; the timer calls this. */
  check(): void {
    if (isRenewalDue(this.#current, this.#options.clock.now())) this.renew();
  }

  /** Renews now: the authority is another one. */
  renew(): void {
    this.#current = this.#options.issue(this.#options.clock.now());
    this.#options.onRenewed(this.#current);
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}

const isHostName = (name: string): boolean => /^(\*\.)?[a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?$/.test(name);
