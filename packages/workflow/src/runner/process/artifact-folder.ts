import { chmod, cp, mkdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';
import { repositoryKeyOf } from '../../document/artifact-location.ts';
import type { Artifact } from '../../document/parameters.ts';
import { WorkflowError } from '../../errors.ts';

/** Keeps artifacts as files in a folder. The location of each is a key, as in a store with buckets. */
export class ArtifactFolder {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Puts the bytes of an artifact at a path. Returns whether there are any. */
  async fetch(artifact: Artifact, path: string): Promise<boolean> {
    await mkdir(dirname(path), { recursive: true });
    if (!(await this.#write(artifact, path))) return false;
    if (artifact.mode !== undefined) await chmod(path, artifact.mode);
    return true;
  }

  async #write(artifact: Artifact, path: string): Promise<boolean> {
    const content = artifact.raw?.data ?? (await download(artifact));
    if (content !== undefined) {
      await writeFile(path, content);
      return true;
    }
    const key = repositoryKeyOf(artifact);
    if (key === undefined) return false;
    const source = join(this.#pathOf(key), artifact.subPath ?? '');
    if (!(await exists(source))) return false;
    await cp(source, path, { recursive: true });
    return true;
  }

  /**
   * Takes what is at a path, under the artifact's own key or else the default one. Returns the artifact with its location;
   * undefined when nothing is there.
   */
  async store(artifact: Artifact, path: string, defaultKey: string): Promise<Artifact | undefined> {
    if (!(await exists(path))) return undefined;
    const key = repositoryKeyOf(artifact) ?? defaultKey;
    const target = this.#pathOf(key);
    await mkdir(dirname(target), { recursive: true });
    await cp(path, target, { recursive: true });
    return { ...artifact, s3: { key } };
  }

  #pathOf(key: string): string {
    const normal = normalize(key);
    if (normal.startsWith('..') || normal.startsWith('/')) {
      throw new WorkflowError('cannot-run', `the key "${key}" is outside of the artifact folder`);
    }
    return join(this.#folder, normal);
  }
}

/** The bytes of an artifact that is read by HTTP; undefined when it is not. */
async function download({ name, http }: Artifact): Promise<Uint8Array | undefined> {
  if (typeof http !== 'object' || http === null || Array.isArray(http)) return undefined;
  const { url, headers } = http as { url?: string; headers?: readonly { name: string; value?: string }[] };
  const given = (headers ?? []).map((header): [string, string] => [header.name, header.value ?? '']);
  const response = await fetch(url ?? '', { headers: given });
  if (response.ok) return response.bytes();
  throw new WorkflowError('cannot-run', `artifact ${name} failed to load: ${url ?? ''} responded ${response.status}`);
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );
