import { cp, mkdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';
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
    if (artifact.raw !== undefined) {
      await writeFile(path, artifact.raw.data, { mode: artifact.mode ?? 0o644 });
      return true;
    }
    const key = keyOf(artifact);
    if (key === undefined) return false;
    const source = join(this.#pathOf(key), artifact.subPath ?? '');
    if (!(await exists(source))) return false;
    await cp(source, path, { recursive: true });
    return true;
  }

  /** Takes what is at a path. Returns the artifact with its location; undefined when nothing is there. */
  async store(artifact: Artifact, path: string, key: string): Promise<Artifact | undefined> {
    if (!(await exists(path))) return undefined;
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

function keyOf({ s3 }: Artifact): string | undefined {
  const key = typeof s3 === 'object' && s3 !== null && !Array.isArray(s3) ? s3['key'] : undefined;
  return typeof key === 'string' ? key : undefined;
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );
