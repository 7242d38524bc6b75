import { type ChandleryError, type KubeObject, toError } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import { createInformer, type Informer } from '@chandlery/runtime';
import { type MeshRootCertificate, meshRootCertificates } from '../../kinds/mesh-root-certificate.ts';
import {
  isSecretOf,
  joinRoot,
  meshNamespace,
  type RootPair,
  readRootSecret,
  rootSecretName,
  rootSecrets,
} from './root-secret.ts';
import { type Root, type Trust, trustOf } from './trust.ts';

/** The roots and their keys as this process knows them. */
export interface RootCache extends AsyncDisposable {
  readonly synced: Promise<unknown>;
  readonly declared: Informer<MeshRootCertificate>;
  readonly secrets: Informer;
  /** As of this moment. */
  readonly trust: Trust;
  /** Called after the version of {@link trust} has become another. */
  onChange(listener: () => void): void;
}

export interface RootCacheOptions {
  /** The platform cluster. */
  readonly client: Client;
  /** Hears of what could not be read; the rest goes on. */
  readonly onError: (error: ChandleryError) => void;
}

/** Starts to follow the roots. */
export function watchRoots({ client, onError }: RootCacheOptions): RootCache {
  const declared = createInformer<MeshRootCertificate>({ client, ref: meshRootCertificates.ref, onError });
  const secrets = createInformer({ client, ref: rootSecrets, onError });
  const pairs = createPairReader(secrets, onError);
  const readTrust = (): Trust => trustOf(declared.list().flatMap(root => rootOf(root, pairs)));
  let trust = trustOf([]);
  const listeners: (() => void)[] = [];
  const refresh = (): void => {
    const before = trust;
    trust = readTrust();
    if (trust.version === before.version) return;
    for (const listener of listeners) listener();
  };
  declared.listen({ deleted: ({ metadata }) => pairs.forget(metadata.name ?? '') });
  for (const informer of [declared, secrets]) {
    informer.listen({ added: refresh, updated: refresh, deleted: refresh });
    informer.start();
  }
  return {
    synced: Promise.all([declared.synced, secrets.synced]),
    declared,
    secrets,
    get trust() {
      return trust;
    },
    onChange: listener => void listeners.push(listener),
    async [Symbol.asyncDispose]() {
      await Promise.all([declared.stop(), secrets.stop()]);
    },
  };
}

interface PairReader {
  of(root: MeshRootCertificate): RootPair | undefined;
  forget(rootName: string): void;
}

function rootOf(root: MeshRootCertificate, pairs: PairReader): readonly Root[] {
  const pair = pairs.of(root);
  return pair === undefined ? [] : [joinRoot(root, pair)];
}

interface KnownPair extends RootPair {
  readonly secret: KubeObject;
}

/**
 * Keys are read once for each version of their Secret. One whose Secret is gone or broken is kept while its root is
 * declared: a mesh must not fall apart by the slip of a hand.
 */
function createPairReader(secrets: Informer, onError: (error: ChandleryError) => void): PairReader {
  const known = new Map<string, KnownPair>();
  const read = (rootName: string, secret: KubeObject): void => {
    try {
      known.set(rootName, { ...readRootSecret(secret), secret });
    } catch (error) {
      onError(toError(error));
    }
  };
  return {
    of(root) {
      const rootName = root.metadata.name ?? '';
      const secret = secrets.get(meshNamespace, rootSecretName(rootName));
      if (secret !== undefined && isSecretOf(root, secret) && known.get(rootName)?.secret !== secret) {
        read(rootName, secret);
      }
      return known.get(rootName);
    },
    forget: rootName => void known.delete(rootName),
  };
}
