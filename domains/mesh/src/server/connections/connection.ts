import type { TLSSocket } from 'node:tls';
import { ChandleryError } from '@chandlery/api';
import type { PeerCertificate, PeerVerifier } from '../../certificates/verify-peer.ts';
import type { ProxyIdentity } from '../../model/identity.ts';

/** A call that goes on until somebody ends it. */
export interface OpenCall {
  /** Tells the client why. Calling it again does nothing. */
  end(error: ChandleryError): void;
}

/** Who a client is, and which root says so. */
export interface VerifiedIdentity {
  readonly identity: ProxyIdentity;
  /** SHA-256, hexadecimal. */
  readonly rootFingerprint: string;
}

/** What decides whether a certificate is believed. */
export interface CurrentTrust {
  /** Changes whenever roots or trust domains do. */
  readonly trustVersion: string;
  readonly now: Date;
}

/** A client that has shaken hands, and what TLS has found out. */
export interface SecuredSocket {
  readonly socket: TLSSocket;
  /** The roots (PEM) by which TLS has verified its certificate. Default: it has not, or it is not sure by which. */
  readonly verifiedBundle?: string;
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
  readonly #shown: PeerCertificate | undefined;
  #proven: (VerifiedIdentity & { readonly trustVersion: string }) | undefined;

  constructor({ socket, verifiedBundle }: SecuredSocket, openedAt: Date) {
    const leaf = socket.getPeerX509Certificate();
    this.openedAt = openedAt;
    this.socket = socket;
    this.peer = `${socket.remoteAddress}:${socket.remotePort}`;
    this.notAfter = leaf?.validToDate;
    this.#shown = leaf && { leaf, ...(verifiedBundle !== undefined && { verifiedBundle }) };
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
  authenticate(verifyPeer: PeerVerifier, { trustVersion, now }: CurrentTrust): VerifiedIdentity {
    const isInTime = this.notAfter !== undefined && now <= this.notAfter;
    if (isInTime && this.#proven?.trustVersion === trustVersion) return this.#proven;
    if (!this.#shown) throw unauthenticated('the client has shown no certificate');
    const verdict = verifyPeer(this.#shown);
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
