import { ChandleryError } from '@chandlery/api';
import type { PeerVerifier } from '../../certificates/verify-peer.ts';
import type { ProxyIdentity } from '../../model/identity.ts';
import type { ConnectedProxy, Proxy, ProxyWorld } from '../../ports.ts';
import type { DiscoveryNode } from '../decode/decode-node.ts';
import type { Connection, ProvenIdentity, TrustNow } from './connection.ts';
import type { Connections } from './connections.ts';
import { introduceProxy } from './identify-proxy.ts';

export interface DoorOptions {
  readonly world: ProxyWorld;
  readonly connections: Connections;
  readonly verifyPeer: PeerVerifier;
  readonly trustNow: () => TrustNow;
  /** How long a client waits when the world is not known yet. */
  readonly readyTimeoutMs: number;
  /** Whether the workload that a certificate names exists. Default: every certificate is believed. */
  readonly isKnownProxy?: (identity: ProxyIdentity) => boolean;
}

/** A proxy that was let in, until disposed of. */
export interface Guest extends ConnectedProxy {
  readonly proxy: Proxy;
  readonly rootFingerprint: string;
}

/** Decides who gets in. Nobody is told anything before their mesh is known completely. */
export class Door {
  readonly #options: DoorOptions;

  constructor(options: DoorOptions) {
    this.#options = options;
  }

  /** Who calls. Throws `Unauthenticated`, `PermissionDenied`, `OverCapacity`. */
  identify(connection: Connection): ProvenIdentity {
    const { connections, verifyPeer, trustNow, isKnownProxy } = this.#options;
    const proven = connection.identify(verifyPeer, trustNow());
    if (isKnownProxy?.(proven.identity) === false) {
      throw new ChandleryError('PermissionDenied', 'the workload that your certificate names does not exist', {
        hint: 'Start the workload first, or give its proxy a certificate of its own',
      });
    }
    connections.admit(connection);
    return proven;
  }

  /** Who calls, as a proxy. Throws also `InvalidRequest`. */
  introduce(connection: Connection, node: DiscoveryNode | undefined): Pick<Guest, 'proxy' | 'rootFingerprint'> {
    const { identity, rootFingerprint } = this.identify(connection);
    return { proxy: introduceProxy(node, identity, connection.peer), rootFingerprint };
  }

  /** Lets a proxy in, to be told things. Throws also `NotReady`, `UnknownMesh`, and the signal's reason. */
  async enter(connection: Connection, node: DiscoveryNode | undefined, signal: AbortSignal): Promise<Guest> {
    const { world } = this.#options;
    const introduced = this.introduce(connection, node);
    const { tenant } = introduced.proxy.identity;
    if (!world.isReady(tenant)) await this.#whenReady(tenant, signal);
    signal.throwIfAborted();
    const connected = world.connect(introduced.proxy);
    const { view, gone } = connected;
    return {
      ...introduced,
      view,
      gone,
      letReconnect: () => connected.letReconnect(),
      [Symbol.dispose]: () => connected[Symbol.dispose](),
    };
  }

  async #whenReady(tenant: string, signal: AbortSignal): Promise<void> {
    const timeout = AbortSignal.timeout(this.#options.readyTimeoutMs);
    try {
      await this.#options.world.ready(tenant, AbortSignal.any([signal, timeout]));
    } catch (error) {
      if (!timeout.aborted) throw error;
      throw new ChandleryError('NotReady', 'the mesh has not been read completely yet', {
        hint: 'Try again',
        cause: error,
      });
    }
  }
}
