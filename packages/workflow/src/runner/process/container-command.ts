import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Container, EnvVar, Script } from '../../document/container.ts';
import { WorkflowError } from '../../errors.ts';
import { type PrivatePath, replacePaths } from './private-paths.ts';
import type { ProcessSpec } from './process-group.ts';

export interface CommandOptions {
  readonly folder: string;
  readonly paths: readonly PrivatePath[];
  readonly baseEnv: Readonly<Record<string, string>>;
  /** What images run when a container has no command, by image. */
  readonly images: Readonly<Record<string, readonly string[]>>;
}

/** The process that stands for a container. */
export async function commandOf(
  container: Container | Script,
  name: string,
  options: CommandOptions,
): Promise<ProcessSpec> {
  const args = [...(container.args ?? [])];
  if ('source' in container && typeof container.source === 'string' && container.source !== '') {
    args.push(await writeScript(container.source, name, options));
  }
  const command = [...entrypointOf(container, options), ...args].map(text => replacePaths(text, options.paths));
  return { command, env: environmentOf(container.env ?? [], name, options), cwd: workingFolder(container, options) };
}

function entrypointOf({ command, image = '' }: Container, { images }: CommandOptions): readonly string[] {
  if (command !== undefined && command.length > 0) return command;
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

const workingFolder = ({ workingDir }: Container, { folder, paths }: CommandOptions): string =>
  workingDir === undefined || workingDir === '' ? folder : replacePaths(workingDir, paths);

function environmentOf(variables: readonly EnvVar[], name: string, options: CommandOptions): Record<string, string> {
  const env: Record<string, string> = { ...options.baseEnv, ARGO_CONTAINER_NAME: name };
  for (const { name: key, value, valueFrom } of variables) {
    if (valueFrom !== undefined) throw new WorkflowError('cannot-run', `env ${key}: valueFrom is not available here`);
    env[key] = replacePaths(value ?? '', options.paths);
  }
  return env;
}
