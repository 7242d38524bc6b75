import { constants } from 'node:fs';
import { lstat, open, realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Artifact, Template } from '@chandlery/workflow';
import { OrdersError } from '../../errors.ts';
import type { ArtifactStore, WorkflowIdentity } from '../../workflow-ports.ts';
import { packTarGzip, packZip } from '../workflow-artifacts/pack.ts';
import { tempFolderBeside } from '../workflow-artifacts/temp-beside.ts';

/** A key that ends so stands for a folder, which is packed whatever its artifact says. */
export const folderSuffix = '/';

/** Longer contents of parameters are an error: they belong into artifacts. */
const maxParameterBytes = 256 * 1024;
/** Of the standard output the end is kept. */
export const maxResultBytes = 256 * 1024;

export interface OutputOptions {
  readonly template: Template;
  readonly workflow: WorkflowIdentity;
  readonly podName: string;
  readonly artifacts: ArtifactStore;
  /** All private files are in it, or in the folder of the workflow's claims. */
  readonly roots: readonly string[];
  readonly hostPathOf: (path: string) => string | undefined;
}

export interface ReadOutputs {
  readonly parameters: Readonly<Record<string, string>>;
  readonly artifacts: readonly Artifact[];
}

/** Reads the outputs that a node's containers left. What they did not write is absent. */
export async function readOutputs(options: OutputOptions): Promise<ReadOutputs> {
  const parameters: Record<string, string> = {};
  for (const { name, valueFrom } of options.template.outputs?.parameters ?? []) {
    const text = await readParameter(options, name, valueFrom?.path ?? '');
    if (text !== undefined) parameters[name] = text;
  }
  const artifacts: Artifact[] = [];
  for (const artifact of options.template.outputs?.artifacts ?? []) {
    const stored = await storeArtifact(options, artifact);
    if (stored !== undefined) artifacts.push(stored);
  }
  return { parameters, artifacts };
}

/** The real path, unless links in it lead out of the private folders: containers may have made them. */
async function safePath({ roots, hostPathOf }: OutputOptions, path: string): Promise<string | undefined> {
  const place = path === '' ? undefined : hostPathOf(path);
  if (place === undefined) return undefined;
  try {
    const folder = await realpath(dirname(place));
    const real = await Promise.all(roots.map(root => realpath(root).catch(() => root)));
    if (!real.some(root => folder === root || folder.startsWith(`${root}/`))) return undefined;
    await lstat(place);
    return place;
  } catch {
    return undefined;
  }
}

async function readParameter(options: OutputOptions, name: string, path: string): Promise<string | undefined> {
  const place = await safePath(options, path);
  if (place === undefined || !(await lstat(place)).isFile()) return undefined;
  // A link or a pipe that took its place meanwhile is not followed.
  const handle = await open(place, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(maxParameterBytes + 1), 0, maxParameterBytes + 1, 0);
    if (bytesRead > maxParameterBytes) {
      const message = `output parameter '${name}' is larger than ${maxParameterBytes} bytes, use an artifact for it`;
      throw new OrdersError('too-large', message);
    }
    return buffer.subarray(0, bytesRead).toString();
  } finally {
    await handle.close();
  }
}

async function storeArtifact(options: OutputOptions, artifact: Artifact): Promise<Artifact | undefined> {
  const { workflow, podName, artifacts } = options;
  const place = await safePath(options, artifact.path ?? '');
  if (place === undefined) return undefined;
  const info = await lstat(place);
  if (!info.isFile() && !info.isDirectory()) return undefined;
  const isUnpacked = artifact.archive?.none !== undefined;
  const isPlain = isUnpacked && info.isFile();
  const suffix = isPlain ? '' : isUnpacked ? folderSuffix : artifact.archive?.zip === undefined ? '.tgz' : '.zip';
  const { s3 } = artifact as { s3?: { key?: string } };
  const key = s3?.key ?? `${workflow.name}/${podName}/${artifact.name}${suffix}`;
  if (isPlain) await artifacts.put(workflow, key, place);
  else await storePacked(options, artifact, { place, key });
  return { name: artifact.name, ...(artifact.path !== undefined && { path: artifact.path }), s3: { ...s3, key } };
}

async function storePacked(
  { workflow, artifacts }: OutputOptions,
  { archive }: Artifact,
  { place, key }: { readonly place: string; readonly key: string },
): Promise<void> {
  await using folder = await tempFolderBeside(place);
  const file = join(folder.path, 'packed');
  if (archive?.zip === undefined) await packTarGzip(place, file, archive?.tar?.compressionLevel);
  else await packZip(place, file);
  await artifacts.put(workflow, key, file);
}
