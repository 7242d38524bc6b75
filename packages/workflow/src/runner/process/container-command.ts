import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Container, EnvVar, Script } from '../../document/container.ts';
import { WorkflowError } from '../../errors.ts';
import { type PrivatePath, replacePaths } from './private-paths.ts';
import type { ProcessSpec } from './process-group.ts';

export interface CommandOptions {
  /** The node's own. */
  readonly folder: string;
  /** Stands for `/`, where containers start. */
  readonly rootFolder: string;
  readonly paths: readonly PrivatePath[];
  readonly baseEnv: Readonly<Record<string, string>>;
  /** What images run when a container has no command, by image. */
  readonly images: Readonly<Record<string, readonly string[]>>;
  /** Programs of this machine by their paths in images. */
  readonly programs: Readonly<Record<string, string>>;
}

/** The process that stands for a container. */
export async function commandOf(
  container: Container | Script,
  name: string,
  options: CommandOptions,
): Promise<ProcessSpec> {
  const declared = [...entrypointOf(container, options), ...(container.args ?? [])];
  const command = declared.map(text => replacePaths(text, options.paths));
  if ('source' in container && typeof container.source === 'string' && container.source !== '') {
    command.push(await writeScript(container.source, name, options));
  }
  return { command, env: environmentOf(container.env ?? [], name, options), cwd: workingFolder(container, options) };
}

function entrypointOf({ command, image = '' }: Container, { images, programs }: CommandOptions): readonly string[] {
  const [program, ...args] = command ?? [];
  if (program !== undefined) return [programs[program] ?? program, ...args];
  const mapped = images[image];
  if (mapped !== undefined) return mapped;
  throw new WorkflowError(
    'cannot-run',
    `image "${image}" has no command here: give the container a command, or map the image to one`,
  );
}

async function writeScript(source: string, name: string, { folder, paths }: CommandOptions): Promise<string> {
  const path = join(folder, `script-${name}`);
  await writeFile(path, replacePaths(source, paths), { mode: 0o755 });
  return path;
}

const workingFolder = ({ workingDir }: Container, { rootFolder, paths }: CommandOptions): string =>
  workingDir === undefined || workingDir === '' ? rootFolder : replacePaths(workingDir, paths);

function environmentOf(variables: readonly EnvVar[], name: string, options: CommandOptions): Record<string, string> {
  const env: Record<string, string> = { ...options.baseEnv, ARGO_CONTAINER_NAME: name };
  for (const { name: key, value, valueFrom } of variables) {
    if (valueFrom !== undefined) throw new WorkflowError('cannot-run', `env ${key}: valueFrom is not available here`);
    env[key] = replacePaths(value ?? '', options.paths);
  }
  return env;
}
