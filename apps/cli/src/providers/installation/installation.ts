import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ChandleryError, type KubeObject } from '@chandlery/api';
import { parseYamlDocuments } from '@chandlery/client';
import { type HostImage, hostImages } from '@chandlery/clusters/kinds';
import { type Provider, serviceProviders } from '@chandlery/providers/kinds';

/** What a folder installs. */
export interface Installation {
  /** The name of the ServiceProvider. */
  readonly name: string;
  readonly folder: string;
  readonly provider: Provider;
  /** Everything else in `install.yaml`: HostImages. */
  readonly others: readonly KubeObject[];
  /** The objects of `config.yaml`; empty without one. */
  readonly configs: readonly KubeObject[];
}

const invalid = 'InstallationInvalid';

/** Reads `install.yaml` and `config.yaml` of a folder. Throws `InstallationInvalid`. */
export function readInstallation(folder: string): Installation {
  const objects = locateHostImages(readDocuments(join(folder, 'install.yaml'), invalid), folder);
  const isProvider = ({ kind }: KubeObject): boolean => kind === serviceProviders.kind;
  const provider = objects.find(isProvider) as Provider | undefined;
  const name = provider?.metadata.name;
  if (provider === undefined || name === undefined) {
    throw new ChandleryError(invalid, `install.yaml in ${folder} has no ServiceProvider with a name`, {
      hint: '"npx chandlery provider new" writes a folder with one.',
    });
  }
  const config = join(folder, 'config.yaml');
  const configs = existsSync(config) ? readDocuments(config, invalid) : [];
  return { name, folder, provider, others: objects.filter(object => !isProvider(object)), configs };
}

/** The objects of a YAML file. Throws an error with `code` when there is none. */
export function readDocuments(path: string, code: string): readonly KubeObject[] {
  if (!existsSync(path))
    throw new ChandleryError(code, `${path} does not exist`, { hint: 'Check the path of the file.' });
  return parseYamlDocuments(readFileSync(path, 'utf8'), path) as KubeObject[];
}

/** Whether an object is a HostImage. */
export const isHostImage = (object: KubeObject): object is HostImage =>
  object.kind === hostImages.kind && object.apiVersion.startsWith(`${hostImages.ref.group}/`);

/**
 * The objects of an `install.yaml` in a folder, with absolute folders of HostImages: those that begin with a dot are
 * relative to the file, and a path in which the file is, such as `examples/providers/hello`, is its folder.
 */
export const locateHostImages = (objects: readonly KubeObject[], folder: string): readonly KubeObject[] =>
  objects.map(object => {
    const found = isHostImage(object) ? absoluteFolder(object.spec.folder ?? '', folder) : undefined;
    return found === undefined ? object : { ...object, spec: { ...(object as HostImage).spec, folder: found } };
  });

function absoluteFolder(given: string, folder: string): string | undefined {
  if (/^\.{1,2}(?:\/|$)/.test(given)) return resolve(folder, given);
  return given !== '' && folder.endsWith(`/${given.replace(/\/$/, '')}`) ? folder : undefined;
}
