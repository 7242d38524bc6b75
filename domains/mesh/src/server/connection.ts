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
  readonly openedAt: Date;
  /** Whether the client was asked to connect again. */
  isRetired = false;
  /** Asks the client to make its next call on another connection; calls go on. Default: there is no way to. */
  sendGoaway: () => void = () => undefined;
  readonly #certificate: Buffer | undefined;
  #proven: (ProvenIdentity & { readonly trustVersion: string }) | undefined;

  constructor(socket: TLSSocket, openedAt: Date) {
    const certificate = socket.getPeerX509Certificate();
    this.openedAt = openedAt;
    this.socket = socket;
    this.peer = `${socket.remoteAddress}:${socket.remotePort}`;
    this.notAfter = certificate?.validToDate;
    this.#certificate = certificate?.raw;
  }

  /** SHA-256, hexadecimal, of the root by which the client has proved itself; undefined when it has not. */
  get rootFingerprint(): string | undefined {
    return this.#proven?.rootFingerprint;
  }

  /** Asks the client to connect again, and ends its calls: long ones would keep it on this connection. */
  retire(reason: ChandleryError): void {
    this.sendGoaway();
    for (const call of [...this.calls]) call.end(reason);
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
