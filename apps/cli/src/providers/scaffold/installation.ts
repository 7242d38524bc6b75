import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { ChandleryError, type KubeObject } from '@chandlery/api';
import { parseYamlDocuments } from '@chandlery/client';
import { type HostImage, hostImages } from '@chandlery/clusters/kinds';

/** The objects of a YAML file. Throws an error with `code` when there is none. */
export function readDocuments(path: string, code: string): readonly KubeObject[] {
  if (!existsSync(path)) throw new ChandleryError(code, `${path} does not exist`);
  return parseYamlDocuments(readFileSync(path, 'utf8'), path) as KubeObject[];
}

const isHostImage = (object: KubeObject): object is HostImage =>
  object.kind === hostImages.kind && object.apiVersion.startsWith(`${hostImages.ref.group}/`);

/** Distinguishes a folder relative to the file from one relative to where the server was started. */
const isBesideFile = (folder: string): boolean => /^\.{1,2}(?:\/|$)/.test(folder);

/** The objects of an `install.yaml` with absolute folders: those that begin with a dot are relative to the file. */
export const locateHostImages = (objects: readonly KubeObject[], folder: string): readonly KubeObject[] =>
  objects.map(object =>
    isHostImage(object) && isBesideFile(object.spec.folder ?? '')
      ? { ...object, spec: { ...object.spec, folder: resolve(folder, object.spec.folder ?? '') } }
      : object,
  );
