import { chmod, mkdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { realPathInside } from '@chandlery/platform';
import type { Artifact, Template } from '@chandlery/workflow';
import type { ArtifactStore, WorkflowIdentity } from '../../workflow-ports.ts';
import { packingOf, unpack } from '../workflow-artifacts/pack.ts';
import { folderSuffix } from './read-outputs.ts';

/** An input that cannot be placed: the node ends with an error. */
export class InputProblem extends Error {}

export interface StagedInput {
  readonly artifact: Artifact;
  /** Where its content is, to be moved to its place. */
  readonly path: string;
  readonly isDirectory: boolean;
}

interface StageOptions {
  readonly template: Template;
  readonly workflow: WorkflowIdentity;
  readonly artifacts: ArtifactStore;
  /** A folder on the file system of the places. */
  readonly folder: string;
}

/** Brings the input artifacts of a template to this machine. Optional ones that do not exist are left out. */
export async function stageInputs({
  template,
  workflow,
  artifacts,
  folder,
}: StageOptions): Promise<readonly StagedInput[]> {
  const staged: StagedInput[] = [];
  for (const [index, artifact] of (template.inputs?.artifacts ?? []).entries()) {
    const path = join(folder, String(index));
    await mkdir(folder, { recursive: true, mode: 0o700 });
    if (!(await stage(artifact, { workflow, artifacts, path }))) {
      if (artifact.optional === true) continue;
      throw new InputProblem(`artifact ${artifact.name} does not exist`);
    }
    if (artifact.mode !== undefined) await chmod(path, artifact.mode);
    staged.push({ artifact, path, isDirectory: (await stat(path)).isDirectory() });
  }
  return staged;
}

type Repository = Pick<StageOptions, 'workflow' | 'artifacts'>;

/** Returns whether the artifact exists. */
async function stage(artifact: Artifact, { path, ...repository }: Repository & { readonly path: string }) {
  if (artifact.raw !== undefined) {
    await writeFile(path, artifact.raw.data, { mode: 0o644 });
    return true;
  }
  const key = keyOf(artifact);
  if (key === undefined) return false;
  const { subPath = '' } = artifact;
  if (subPath === '') return bring(artifact, { ...repository, key, path });
  const partKey = `${key.replace(/\/+$/, '')}/${subPath}`;
  return (
    (await bring(artifact, { ...repository, key: partKey, path })) ||
    (await bringPart(artifact, { ...repository, key, path, subPath }))
  );
}

/** Puts what is stored under a key at a path, unpacked. Returns whether there is anything. */
async function bring(
  { archive }: Artifact,
  { workflow, artifacts, key, path }: Repository & { readonly key: string; readonly path: string },
): Promise<boolean> {
  const file = `${path}.fetched`;
  // What a start left that did not come to its end.
  await rm(file, { force: true });
  if (!(await artifacts.fetch(workflow.namespace, key, file))) return false;
  const isPacked = archive?.none === undefined || key.endsWith(folderSuffix);
  const packing = isPacked ? await packingOf(file) : 'none';
  if (packing === 'none') await rename(file, path);
  else await unpack(file, packing, path);
  await rm(file, { force: true });
  return true;
}

/** Puts a part of a stored folder at a path. Links in the folder do not lead out of it. */
async function bringPart(
  artifact: Artifact,
  options: Repository & { readonly key: string; readonly path: string; readonly subPath: string },
): Promise<boolean> {
  const whole = `${options.path}.whole`;
  await rm(whole, { recursive: true, force: true });
  try {
    if (!(await bring(artifact, { ...options, path: whole }))) return false;
    const part = realPathInside(whole, join(whole, options.subPath));
    if (part === undefined) return false;
    await rename(part, options.path);
    return true;
  } finally {
    await rm(whole, { recursive: true, force: true });
  }
}

/** The key of an artifact in the repository, whatever the driver is called. */
function keyOf(artifact: Artifact): string | undefined {
  const { s3, gcs, azure, oss } = artifact as unknown as Record<string, { key?: string; blob?: string } | undefined>;
  return s3?.key ?? gcs?.key ?? oss?.key ?? azure?.blob;
}

/** Moves inputs to their places, and writes the script's file. */
export async function placeInputs(
  staged: readonly StagedInput[],
  script: string | undefined,
  places: { readonly scriptPath: string; hostPathOf(path: string): string | undefined },
): Promise<void> {
  for (const { artifact, path } of staged) {
    const place = places.hostPathOf(artifact.path ?? '');
    if (place === undefined) throw new InputProblem(`artifact ${artifact.name} has no path`);
    await mkdir(dirname(place), { recursive: true, mode: 0o755 });
    await rm(place, { recursive: true, force: true });
    await rename(path, place);
  }
  const place = places.hostPathOf(places.scriptPath);
  if (script === undefined || place === undefined) return;
  await mkdir(dirname(place), { recursive: true, mode: 0o755 });
  await writeFile(place, script, { mode: 0o755 });
}
