import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Mount } from '../../model/pods/mounts.ts';
import type { Container, FieldFiles, KeyFiles, Pod, Projection, TokenFile, Volume } from '../../model/pods/pod.ts';
import { configError, type Machine, readField, readResource } from '../../model/pods/pod-fields.ts';
import type { PodSources, PodTokens } from '../../ports.ts';
import { insideFolder, type VolumeFile, writeVolumeFiles } from './volume-files.ts';

/** The dependencies of volumes. */
export interface VolumeDeps {
  readonly pod: Pod;
  readonly sources: PodSources;
  readonly machine: Machine;
  readonly tokens: PodTokens | undefined;
  /** The folder of the pod's own volumes. */
  readonly folder: string;
  /** The folder of the cluster's claims, which outlive pods. */
  readonly claimsFolder: string;
}

const ownerOnly = 0o600;
const everybodyReads = 0o644;

/** Creates a volume, or updates its files, and returns its place. */
export async function realizeVolume(deps: VolumeDeps, volume: Volume): Promise<string> {
  if (volume.hostPath !== undefined) return realizeHostPath(volume.hostPath);
  const folder = join(deps.folder, volume.name);
  if (volume.persistentVolumeClaim !== undefined) {
    return makeFolder(join(deps.claimsFolder, deps.pod.namespace, volume.persistentVolumeClaim.claimName));
  }
  const projections = projectionsOf(volume);
  if (projections === undefined) return makeFolder(folder);
  const files = await Promise.all(projections.map(projection => projectFiles(deps, projection)));
  writeVolumeFiles(folder, files.flat());
  return folder;
}

/** The shortest lifetime of the volume's tokens in seconds; undefined when it has none. */
export function tokenSeconds(volume: Volume): number | undefined {
  const tokens = (volume.projected?.sources ?? []).flatMap(({ serviceAccountToken: token }) => (token ? [token] : []));
  return tokens.length === 0
    ? undefined
    : Math.min(...tokens.map(({ expirationSeconds }) => expirationSeconds ?? 3600));
}

function makeFolder(path: string): string {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  return path;
}

const realizeHostPath = ({ path, type }: NonNullable<Volume['hostPath']>): string =>
  type === 'DirectoryOrCreate' ? makeFolder(path) : path;

/** The parts of a volume of files; undefined for a plain folder. */
function projectionsOf(volume: Volume): readonly Projection[] | undefined {
  if (volume.projected !== undefined) return volume.projected.sources ?? [];
  if (volume.configMap !== undefined) return [{ configMap: volume.configMap }];
  if (volume.secret !== undefined) return [{ secret: volume.secret }];
  if (volume.downwardAPI !== undefined) return [{ downwardAPI: volume.downwardAPI }];
  if (volume.emptyDir !== undefined) return undefined;
  const kinds = Object.keys(volume).filter(key => key !== 'name');
  if (kinds.length === 0) return undefined;
  throw configError(
    `volume "${volume.name}" is of kind ${kinds.join(', ')}, which a node of processes does not offer.`,
  );
}

async function projectFiles(deps: VolumeDeps, projection: Projection): Promise<readonly VolumeFile[]> {
  const { secret, configMap, downwardAPI, serviceAccountToken } = projection;
  if (secret !== undefined) return keyFiles('secret', deps.sources.secrets, secret, ownerOnly);
  if (configMap !== undefined) return keyFiles('configmap', deps.sources.configMaps, configMap, everybodyReads);
  if (downwardAPI !== undefined) return fieldFiles(deps, downwardAPI);
  return serviceAccountToken === undefined ? [] : [await tokenFile(deps, serviceAccountToken)];
}

function keyFiles(kind: string, objects: PodSources['secrets'], wanted: KeyFiles, mode: number): readonly VolumeFile[] {
  const name = wanted.secretName ?? wanted.name ?? '';
  const data = objects[name];
  if (data === undefined && wanted.optional !== true) throw configError(`${kind} "${name}" not found`);
  const items = wanted.items ?? Object.keys(data ?? {}).map(key => ({ key, path: key, mode: undefined }));
  return items.flatMap(item => {
    const bytes = data?.[item.key];
    if (bytes === undefined && wanted.optional !== true) {
      throw configError(`${kind} "${name}" has no key "${item.key}"`);
    }
    // Secrets stay readable by the owner only, whatever the pod requests: all pods share this machine's users.
    const asked = item.mode ?? wanted.defaultMode ?? mode;
    return bytes === undefined ? [] : [{ path: item.path, bytes, mode: kind === 'secret' ? asked & 0o700 : asked }];
  });
}

function fieldFiles({ pod, machine }: VolumeDeps, { items = [] }: FieldFiles): readonly VolumeFile[] {
  const [owner] = pod.spec.containers;
  return items.map(({ path, fieldRef, resourceFieldRef }) => {
    const field = fieldRef === undefined ? '' : readField(pod, fieldRef, machine);
    const isResource = resourceFieldRef !== undefined && owner !== undefined;
    const value = isResource ? readResource(pod, owner, resourceFieldRef, machine) : field;
    return { path, bytes: Buffer.from(value), mode: everybodyReads };
  });
}

async function tokenFile(
  { pod, tokens }: VolumeDeps,
  { path, audience, expirationSeconds = 3600 }: TokenFile,
): Promise<VolumeFile> {
  if (tokens === undefined) throw configError('this node cannot issue service-account tokens.');
  const owner = { uid: pod.uid, name: pod.name, namespace: pod.namespace };
  const serviceAccount = pod.spec.serviceAccountName ?? 'default';
  const token = await tokens.issueToken({ ...owner, serviceAccount }, { audience, expirationSeconds });
  return { path, bytes: Buffer.from(token), mode: ownerOnly };
}

/** The real places of a container's mounts. */
export function resolveMounts(container: Container, places: ReadonlyMap<string, string>): readonly Mount[] {
  return (container.volumeMounts ?? []).map(({ name, mountPath, subPath }) => {
    const place = places.get(name);
    if (place === undefined)
      throw configError(`container "${container.name}" mounts volume "${name}", which is not there.`);
    return { mountPath, hostPath: subPath === undefined ? place : insideFolder(place, subPath) };
  });
}
