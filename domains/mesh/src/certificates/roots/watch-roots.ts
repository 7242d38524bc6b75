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

/** A cache of the roots and their keys. */
export interface RootCache extends AsyncDisposable {
  readonly synced: Promise<unknown>;
  readonly declared: Informer<MeshRootCertificate>;
  readonly secrets: Informer;
  /** The current trust. */
  readonly trust: Trust;
  /** Adds a listener for changes of the version of {@link trust}. */
  onChange(listener: () => void): void;
}

export interface RootCacheOptions {
  /** Client of the platform cluster. */
  readonly client: Client;
  /** Called with read errors, which are retried. */
  readonly onError: (error: ChandleryError) => void;
}

/** Starts informers for the roots and their keys. */
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
 * Reads a key once for each version of its Secret. A key whose Secret was deleted or damaged is kept while its root is
 * declared, so that an accidental change does not break the mesh.
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
