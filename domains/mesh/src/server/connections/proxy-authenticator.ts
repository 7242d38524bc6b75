import { ChandleryError } from '@chandlery/api';
import type { PeerVerifier } from '../../certificates/verify-peer.ts';
import type { ProxyIdentity } from '../../model/identity.ts';
import type { ConnectedProxy, Proxy, ProxyRegistry } from '../../ports.ts';
import type { DiscoveryNode } from '../decode/decode-node.ts';
import type { Connection, CurrentTrust, VerifiedIdentity } from './connection.ts';
import type { Connections } from './connections.ts';
import { identifyProxy } from './identify-proxy.ts';

export interface ProxyAuthenticatorOptions {
  readonly registry: ProxyRegistry;
  readonly connections: Connections;
  readonly verifyPeer: PeerVerifier;
  readonly trustNow: () => CurrentTrust;
  /** How long a client waits until its mesh is synced. */
  readonly readyTimeoutMs: number;
  /** Whether the workload of a certificate exists. Default: every certificate is accepted. */
  readonly isKnownProxy?: (identity: ProxyIdentity) => boolean;
}

/** An authenticated and registered proxy, until disposed of. */
export interface ConnectedClient extends ConnectedProxy {
  readonly proxy: Proxy;
  readonly rootFingerprint: string;
  /** When the certificate expires with which it authenticated. */
  readonly notAfter: Date | undefined;
}

/** Authenticates clients, and registers proxies once their mesh is synced. */
export class ProxyAuthenticator {
  readonly #options: ProxyAuthenticatorOptions;

  constructor(options: ProxyAuthenticatorOptions) {
    this.#options = options;
  }

  /** Authenticates a connection. Throws `Unauthenticated`, `PermissionDenied`, `OverCapacity`. */
  authenticate(connection: Connection): VerifiedIdentity {
    const { connections, verifyPeer, trustNow, isKnownProxy } = this.#options;
    const proven = connection.authenticate(verifyPeer, trustNow());
    if (isKnownProxy?.(proven.identity) === false) {
      throw new ChandleryError('PermissionDenied', 'the workload that your certificate names does not exist', {
        hint: 'Start the workload first, or give its proxy a certificate of its own',
      });
    }
    connections.admit(connection);
    return proven;
  }

  /** Authenticates a connection and reads its node. Also throws `InvalidRequest`. */
  identifyProxy(
    connection: Connection,
    node: DiscoveryNode | undefined,
  ): Pick<ConnectedClient, 'proxy' | 'rootFingerprint' | 'notAfter'> {
    const { identity, rootFingerprint } = this.authenticate(connection);
    return { proxy: identifyProxy(node, identity, connection.peer), rootFingerprint, notAfter: connection.notAfter };
  }

  /** Authenticates and registers a proxy. Also throws `NotReady`, `UnknownMesh`, and the signal's reason. */
  async connectProxy(
    connection: Connection,
    node: DiscoveryNode | undefined,
    signal: AbortSignal,
  ): Promise<ConnectedClient> {
    const { registry } = this.#options;
    const introduced = this.identifyProxy(connection, node);
    const { tenant } = introduced.proxy.identity;
    if (!registry.isReady(tenant)) await this.#whenReady(tenant, signal);
    signal.throwIfAborted();
    const connected = registry.registerProxy(introduced.proxy);
    const { view, closed } = connected;
    return {
      ...introduced,
      view,
      closed,
      releaseForReconnect: () => connected.releaseForReconnect(),
      [Symbol.dispose]: () => connected[Symbol.dispose](),
    };
  }

  async #whenReady(tenant: string, signal: AbortSignal): Promise<void> {
    const timeout = AbortSignal.timeout(this.#options.readyTimeoutMs);
    try {
      await this.#options.registry.ready(tenant, AbortSignal.any([signal, timeout]));
    } catch (error) {
      if (!timeout.aborted) throw error;
      throw new ChandleryError('NotReady', 'the mesh has not been read completely yet', {
        hint: 'Try again',
        cause: error,
      });
    }
  }
}
