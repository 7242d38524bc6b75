import type { TLSSocket } from 'node:tls';
import { ChandleryError } from '@chandlery/api';
import type { PeerVerifier } from '../certificates/verify-peer.ts';
import type { ProxyIdentity } from '../model/identity.ts';

/** A call that goes on until somebody ends it. */
export interface OpenCall {
  /** Tells the client why. Calling it again does nothing. */
  end(error: ChandleryError): void;
}

/** Who a client is, and which root says so. */
export interface ProvenIdentity {
  readonly identity: ProxyIdentity;
  /** SHA-256, hexadecimal. */
  readonly rootFingerprint: string;
}

/** What decides whether a certificate is believed. */
export interface TrustNow {
  /** Changes whenever roots or trust domains do. */
  readonly trustVersion: string;
  readonly now: Date;
}

/** A client that has shaken hands. Whether it is let in is decided call by call: time and trust go on. */
export class Connection {
  readonly socket: TLSSocket;
  /** `address:port`. */
  readonly peer: string;
  /** Calls that are open on it. */
  readonly calls = new Set<OpenCall>();
  /** When its certificate ends; undefined when it has none. */
  readonly notAfter: Date | undefined;
  readonly #certificate: Buffer | undefined;
  #proven: (ProvenIdentity & { readonly trustVersion: string }) | undefined;

  constructor(socket: TLSSocket) {
    const certificate = socket.getPeerX509Certificate();
    this.socket = socket;
    this.peer = `${socket.remoteAddress}:${socket.remotePort}`;
    this.notAfter = certificate?.validToDate;
    this.#certificate = certificate?.raw;
  }

  /** Throws `Unauthenticated`. What was proven once holds while the certificate and the trust do. */
  identify(verifyPeer: PeerVerifier, { trustVersion, now }: TrustNow): ProvenIdentity {
    const isInTime = this.notAfter !== undefined && now <= this.notAfter;
    if (isInTime && this.#proven?.trustVersion === trustVersion) return this.#proven;
    if (!this.#certificate) throw unauthenticated('the client has shown no certificate');
    const verdict = verifyPeer([this.#certificate]);
    if (verdict.type === 'unknown') throw unauthenticated(verdict.reason);
    const { identity, rootFingerprint } = verdict;
    this.#proven = { identity, rootFingerprint, trustVersion };
    return this.#proven;
  }
}

const unauthenticated = (reason: string): ChandleryError =>
  new ChandleryError('Unauthenticated', `cannot tell who you are: ${reason}`, {
    hint: 'Connect with a certificate that this mesh has issued',
  });
