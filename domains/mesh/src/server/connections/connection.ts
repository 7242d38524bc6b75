import type { TLSSocket } from 'node:tls';
import { ChandleryError } from '@chandlery/api';
import type { PeerCertificate, PeerVerifier } from '../../certificates/verify-peer.ts';
import type { ProxyIdentity } from '../../model/identity.ts';

/** A call that stays open until the server ends it. */
export interface OpenCall {
  /** Ends the call with the status of the error. Calling it again has no effect. */
  end(error: ChandleryError): void;
}

/** The identity of a client, and the root that certified it. */
export interface VerifiedIdentity {
  readonly identity: ProxyIdentity;
  /** SHA-256, hexadecimal. */
  readonly rootFingerprint: string;
}

/** The inputs of certificate verification that change over time. */
export interface CurrentTrust {
  /** Changes whenever roots or trust domains change. */
  readonly trustVersion: string;
  readonly now: Date;
}

/** A socket after the TLS handshake. */
export interface SecuredSocket {
  readonly socket: TLSSocket;
  /**
   * The trust bundle (PEM) against which TLS verified the certificate. Default: not verified, or the bundle is
   * uncertain.
   */
  readonly verifiedBundle?: string;
}

/**
 * A client connection after the TLS handshake. Each call is authenticated again, because certificates expire and roots
 * change.
 */
export class Connection {
  readonly socket: TLSSocket;
  /** `address:port`. */
  readonly peer: string;
  /** Open calls of the connection. */
  readonly calls = new Set<OpenCall>();
  /** When the client certificate expires; undefined without a certificate. */
  readonly notAfter: Date | undefined;
  readonly openedAt: Date;
  /** Whether the client was asked to reconnect. */
  isRetired = false;
  /** Sends a GOAWAY: open calls continue, new calls need another connection. Default: no effect. */
  sendGoaway: () => void = () => undefined;
  readonly #shown: PeerCertificate | undefined;
  #proven: (VerifiedIdentity & { readonly trustVersion: string }) | undefined;

  constructor({ socket, verifiedBundle }: SecuredSocket, openedAt: Date) {
    const leaf = socket.getPeerX509Certificate();
    this.openedAt = openedAt;
    this.socket = socket;
    this.peer = `${socket.remoteAddress}:${socket.remotePort}`;
    this.notAfter = leaf?.validToDate;
    this.#shown = leaf && { leaf, ...(verifiedBundle === undefined ? {} : { verifiedBundle }) };
  }

  /** SHA-256, hexadecimal, of the root that certified the client; undefined before authentication. */
  get rootFingerprint(): string | undefined {
    return this.#proven?.rootFingerprint;
  }

  /** Asks the client to reconnect, and ends its calls, which would otherwise keep the connection open. */
  retire(reason: ChandleryError): void {
    this.sendGoaway();
    for (const call of [...this.calls]) call.end(reason);
  }

  /**
   * Verifies the client certificate. The result is cached until the certificate expires or the trust changes. Throws
   * `Unauthenticated`.
   */
  authenticate(verifyPeer: PeerVerifier, { trustVersion, now }: CurrentTrust): VerifiedIdentity {
    const isInTime = this.notAfter !== undefined && now <= this.notAfter;
    if (isInTime && this.#proven?.trustVersion === trustVersion) return this.#proven;
    if (!this.#shown) throw unauthenticated('the client has no certificate');
    const verdict = verifyPeer(this.#shown);
    if (verdict.type === 'unknown') throw unauthenticated(verdict.reason);
    const { identity, rootFingerprint } = verdict;
    this.#proven = { identity, rootFingerprint, trustVersion };
    return this.#proven;
  }
}

const unauthenticated = (reason: string): ChandleryError =>
  new ChandleryError('Unauthenticated', `cannot authenticate the client: ${reason}`, {
    hint: 'Connect with a certificate that this mesh has issued',
  });
