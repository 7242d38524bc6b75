import { X509Certificate } from 'node:crypto';
import { createSigningRequest } from '@chandlery/platform';
import { peerUnavailable } from '../../../port-errors.ts';
import type { CertificateIssuer, DnsZone, InstanceCertificate } from '../../../ports.ts';
import { checkHosts } from '../check-hosts.ts';
import {
  AcmeConnection,
  type AcmeConnectionOptions,
  type AcmeResource,
  problemError,
  readProblem,
} from './acme-connection.ts';
import { type DnsChallenge, findChallenges, proofRecords } from './dns-challenges.ts';
import { DnsProofs } from './dns-proofs.ts';

/** How certificates are obtained from an ACME server. */
export interface AcmeIssuerOptions extends AcmeConnectionOptions {
  /** Where the challenges are answered: the zone of the hosts. */
  readonly zone: DnsZone;
  /** For one certificate, from order to download. Default 180 000. */
  readonly issueTimeoutMs?: number;
}

const defaultIssueTimeoutMs = 180_000;

/** Obtains certificates from an ACME server (RFC 8555), with dns-01 challenges: wildcards need them, and no port is open. */
export class AcmeIssuer implements CertificateIssuer, AsyncDisposable {
  readonly #connection: AcmeConnection;
  readonly #proofs: DnsProofs;
  readonly #issueTimeoutMs: number;

  constructor({ zone, issueTimeoutMs = defaultIssueTimeoutMs, ...connection }: AcmeIssuerOptions) {
    this.#connection = new AcmeConnection(connection);
    this.#proofs = new DnsProofs(zone);
    this.#issueTimeoutMs = issueTimeoutMs;
  }

  async issue(request: { readonly hosts: readonly string[] }): Promise<InstanceCertificate> {
    const hosts = checkHosts(request.hosts);
    const deadlineMs = performance.now() + this.#issueTimeoutMs;
    const identifiers = hosts.map(value => ({ type: 'dns', value }));
    const order = await this.#connection.newOrder({ identifiers });
    await this.#authorise(order, deadlineMs);
    return this.#finalise(order, hosts, deadlineMs);
  }

  async #authorise(order: AcmeResource, deadlineMs: number): Promise<void> {
    const challenges = await findChallenges(this.#connection, order);
    if (challenges.length === 0) return;
    await this.#proofs.during(proofRecords(challenges), deadlineMs, async () => {
      for (const { url } of challenges) await this.#connection.post(url, {});
      for (const challenge of challenges) await this.#waitForAuthorisation(challenge, deadlineMs);
    });
  }

  async #waitForAuthorisation({ authorisationUrl, host, url }: DnsChallenge, deadlineMs: number): Promise<void> {
    const { body } = await this.#connection.waitFor(authorisationUrl, ['pending', 'processing'], deadlineMs);
    if (body['status'] === 'valid') return;
    const { type, detail } = readProblem((await this.#connection.post(url)).body['error']);
    throw problemError(`the ACME server does not believe that ${host} is ours: ${type} ${detail}`, type);
  }

  async #finalise(order: AcmeResource, hosts: readonly string[], deadlineMs: number): Promise<InstanceCertificate> {
    const ready = await this.#connection.waitFor(order.url, ['pending'], deadlineMs);
    const { der, privateKeyPem } = createSigningRequest({ dnsNames: hosts });
    await this.#connection.post(String(ready.body['finalize']), { csr: der.toString('base64url') });
    const { body } = await this.#connection.waitFor(order.url, ['pending', 'ready', 'processing'], deadlineMs);
    if (body['status'] !== 'valid') {
      const { type, detail } = readProblem(body['error']);
      throw problemError(`the ACME server issues no certificate: ${type} ${detail}`, type);
    }
    const { text } = await this.#connection.post(String(body['certificate']));
    return { certPem: text, keyPem: privateKeyPem, caPem: undefined, notAfter: endOf(text) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#connection[Symbol.asyncDispose]();
  }
}

function endOf(certPem: string): Date {
  try {
    return new Date(new X509Certificate(certPem).validTo);
  } catch (cause) {
    throw peerUnavailable('the ACME server sent no certificate', cause);
  }
}
