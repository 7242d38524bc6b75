import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileAtomically } from '@chandlery/platform';
import { type JoinCloud, readDocument } from './machine-documents.ts';
import type { MeshClient } from './mesh-client.ts';
import { loadMesh } from './mesh-module.ts';

/** What a machine joins, and as what. */
export interface JoinOptions {
  readonly mesh: MeshClient;
  readonly cluster: string;
  readonly namespace: string;
  /** Name of the MachineRule. */
  readonly rule: string;
  readonly cloud: JoinCloud;
  /** Folder of the key of this machine, which is the same for all of its rules. */
  readonly folder: string;
  readonly tokenFile: string;
  readonly metadataUrl: string;
}

/** A token that was written. */
export interface JoinedMachine {
  readonly serviceAccount: string;
  readonly expiresAt: Date;
  readonly tokenFile: string;
}

interface JoinResponse {
  readonly token: string;
  readonly expirationTimestamp: string;
  readonly serviceAccount: string;
}

const hints = {
  Forbidden: 'See the log of the landscape for the reason, and the MachineRule and MachineJoins of the namespace.',
};

/**
 * Exchanges the identity document of this machine for a token, and writes it. The key that proves it is the same machine
 * is created in the folder with the first join, and never sent.
 */
export async function joinMachine(options: JoinOptions, signal: AbortSignal): Promise<JoinedMachine> {
  const { mesh, cluster, namespace, rule, cloud, folder, tokenFile } = options;
  const { joinPlace, joinProofText } = await loadMesh();
  const key = ensureKey(folder);
  const path = ['clusters', cluster, 'namespaces', namespace, 'joins'];
  const { audience } = await mesh.ask<{ readonly audience: string }>(path, { hints, signal });
  const document = await readDocument(cloud, { ...options, audience, signal });
  const statement = { place: joinPlace(audience, cluster, namespace), rule, document, time: new Date().toISOString() };
  const { place: _, ...stated } = statement;
  const proof = sign('sha256', joinProofText(statement), key).toString('base64');
  const publicKey = createPublicKey(key).export({ type: 'spki', format: 'pem' });
  const body = { ...stated, cloud, publicKey, proof };
  const { token, expirationTimestamp, serviceAccount } = await mesh.ask<JoinResponse>(path, { body, hints, signal });
  writeFileAtomically(tokenFile, token);
  return { serviceAccount, expiresAt: new Date(expirationTimestamp), tokenFile };
}

/** The key of this machine, mode 0600. Of several processes that create it at the same time, one is the first. */
function ensureKey(folder: string): KeyObject {
  const path = join(folder, 'join-key.pem');
  if (!existsSync(path)) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    writeFileOnce(path, privateKey.export({ type: 'pkcs8', format: 'pem' }).toString());
  }
  return createPrivateKey(readFileSync(path));
}

/** Writes a file completely, unless there is one by now. */
function writeFileOnce(path: string, contents: string): void {
  const own = `${path}.${process.pid}`;
  writeFileAtomically(own, contents);
  try {
    linkSync(own, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(own, { force: true });
  }
}
