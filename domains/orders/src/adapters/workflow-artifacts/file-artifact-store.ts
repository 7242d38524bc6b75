import { createHash, randomUUID } from 'node:crypto';
import { copyFile, mkdir, open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ArtifactStore, WorkflowIdentity } from '../../workflow-ports.ts';

/** Artifacts as files, by the hash of namespace and key: keys are the users' and lead nowhere else. */
export class FileArtifactStore implements ArtifactStore {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async put({ uid, namespace }: WorkflowIdentity, key: string, file: string): Promise<void> {
    const path = this.#pathOf(namespace, key);
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const owner = this.#ownerFolder(uid);
    await mkdir(owner, { recursive: true, mode: 0o700 });
    await writeFile(join(owner, hashOf(namespace, key)), '', { mode: 0o600 });
    const partial = `${path}.${randomUUID()}.part`;
    await copyFile(file, partial);
    const handle = await open(partial, 'r+');
    await handle.sync().finally(() => handle.close());
    await rename(partial, path);
  }

  async find(namespace: string, key: string): Promise<string | undefined> {
    const path = this.#pathOf(namespace, key);
    return stat(path).then(
      () => path,
      () => undefined,
    );
  }

  async remove(workflowUid: string): Promise<void> {
    const owner = this.#ownerFolder(workflowUid);
    for (const hash of await readdir(owner).catch(() => []))
      await rm(join(this.#folder, 'blobs', hash), { force: true });
    await rm(owner, { recursive: true, force: true });
  }

  #pathOf(namespace: string, key: string): string {
    return join(this.#folder, 'blobs', hashOf(namespace, key));
  }

  #ownerFolder(workflowUid: string): string {
    return join(this.#folder, 'workflows', encodeURIComponent(workflowUid));
  }
}

const hashOf = (namespace: string, key: string): string =>
  createHash('sha256').update(`${namespace}/${key}`).digest('hex');
