import { mkdir, readFile, rm, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Container, ContainerNode } from '../../document/container.ts';
import type { Artifact } from '../../document/parameters.ts';
import type { Ended } from '../../engine/observations.ts';
import { WorkflowError } from '../../errors.ts';
import type { RunRequest } from '../runner.ts';
import type { ArtifactFolder } from './artifact-folder.ts';
import { commandOf } from './container-command.ts';
import {
  actualPath,
  containersOf,
  mountsOf,
  outputPathsOf,
  type PrivatePath,
  privatePathsOf,
  rootFolderOf,
} from './private-paths.ts';
import { type ProcessEnd, ProcessGroup } from './process-group.ts';
import { makeSystemFolders, programFolders } from './system-folders.ts';

export interface PodOptions {
  readonly request: RunRequest;
  /** The node's own. */
  readonly folder: string;
  /** Volumes that the nodes of the workflow share. */
  readonly volumes: string;
  readonly artifacts: ArtifactFolder;
  readonly images: Readonly<Record<string, readonly string[]>>;
  readonly programs: Readonly<Record<string, string>>;
  readonly env: Readonly<Record<string, string>>;
  readonly onOutput: (chunk: Buffer, stream: 'stdout' | 'stderr') => void;
}

type PodEnd = Omit<Ended, 'kind' | 'node'>;

/** As Argo's executor ends when a container does not run because one that it depends on failed. */
const notExecutedCode = 64;
/** As a process that SIGTERM ended. */
const killedCode = 143;

/** The processes that stand for the containers of one pod. */
export class PodProcesses {
  readonly #options: PodOptions;
  readonly #paths: readonly PrivatePath[];
  readonly #groups = new Set<ProcessGroup>();
  #killed: number | undefined;

  constructor(options: PodOptions) {
    this.#options = options;
    this.#paths = privatePathsOf(options.request.action.template, options.folder);
  }

  /** Runs all containers, and reads their outputs. */
  async run(started: () => void): Promise<PodEnd> {
    await this.#prepare();
    const { template } = this.#options.request.action;
    for (const container of template.initContainers ?? []) {
      const { exitCode } = await this.#execute(container, container.name);
      if (exitCode !== 0) return { exitCode, message: `${container.name}: Error (exit code ${exitCode})` };
    }
    const sidecars = await Promise.all((template.sidecars ?? []).map(sidecar => this.#launch(sidecar, sidecar.name)));
    started();
    const end = await this.#runMain();
    for (const sidecar of sidecars) sidecar.kill(1);
    await Promise.all(sidecars.map(sidecar => sidecar.ended));
    return { ...end, ...(await this.#readOutputs()) };
  }

  kill(graceSeconds: number): void {
    this.#killed ??= graceSeconds;
    for (const group of this.#groups) group.kill(graceSeconds);
  }

  killNow(): void {
    this.#killed = 0;
    for (const group of this.#groups) group.killNow();
  }

  async #runMain(): Promise<PodEnd> {
    const { template } = this.#options.request.action;
    if (template.containerSet !== undefined) return this.#runSet(template.containerSet.containers);
    const container = template.script ?? template.container;
    if (container === undefined)
      throw new WorkflowError('cannot-run', `template "${template.name ?? ''}" has no container`);
    const { exitCode, stdout, problem } = await this.#execute(container, 'main');
    const message = problem === undefined ? {} : { message: `main: Error (exit code ${exitCode}): ${problem}` };
    return { exitCode, result: stdout, ...message };
  }

  /** Runs each container of a set when those that it depends on have succeeded. */
  async #runSet(containers: readonly ContainerNode[]): Promise<PodEnd> {
    const ends = new Map<string, Promise<ProcessEnd | undefined>>();
    const endOf = (name: string): Promise<ProcessEnd | undefined> => {
      const known = ends.get(name);
      if (known !== undefined) return known;
      const container = containers.find(candidate => candidate.name === name);
      const end = (async () => {
        const before = await Promise.all((container?.dependencies ?? []).map(endOf));
        if (container === undefined || before.some(dependency => dependency?.exitCode !== 0)) return undefined;
        return this.#execute(container, name);
      })();
      ends.set(name, end);
      return end;
    };
    const codes: Record<string, number> = {};
    let main: ProcessEnd | undefined;
    for (const { name } of containers) {
      const end = await endOf(name);
      codes[name] = end?.exitCode ?? notExecutedCode;
      if (name === 'main') main = end;
    }
    const exitCode = Object.values(codes).find(code => code !== 0) ?? 0;
    return { exitCode, containers: codes, ...(main && { result: main.stdout }) };
  }

  async #execute(container: Container, name: string): Promise<ProcessEnd> {
    if (this.#killed !== undefined) return { exitCode: killedCode, stdout: '' };
    return (await this.#launch(container, name)).ended;
  }

  async #launch(container: Container, name: string): Promise<ProcessGroup> {
    const { folder, images, programs, env, request, onOutput } = this.#options;
    const rootFolder = rootFolderOf(folder);
    const { nodeId, template } = request.action;
    const baseEnv = {
      ...env,
      PATH: `${programFolders(rootFolder)}:${env['PATH'] ?? ''}`,
      ARGO_NODE_ID: nodeId,
      ARGO_WORKFLOW_NAME: request.workflow.name,
      ARGO_TEMPLATE: JSON.stringify(template),
    };
    const spec = await commandOf(container, name, {
      folder,
      rootFolder,
      paths: this.#paths,
      baseEnv,
      images,
      programs,
    });
    const group = new ProcessGroup(spec, onOutput);
    this.#groups.add(group);
    if (this.#killed !== undefined) group.kill(this.#killed);
    void group.ended.then(() => this.#groups.delete(group));
    return group;
  }

  async #prepare(): Promise<void> {
    const { folder, request } = this.#options;
    const { template } = request.action;
    await makeSystemFolders(rootFolderOf(folder));
    await this.#mountVolumes();
    for (const { workingDir = '' } of containersOf(template)) {
      if (workingDir !== '') await mkdir(actualPath(workingDir, this.#paths), { recursive: true });
    }
    // Images have the folders that their commands write to; processes of this machine do not.
    for (const path of outputPathsOf(template))
      await mkdir(dirname(actualPath(path, this.#paths)), { recursive: true });
    for (const artifact of template.inputs?.artifacts ?? []) await this.#fetch(artifact);
  }

  /** Volumes of the pod are folders of the node; those of the workflow are shared by its nodes. */
  async #mountVolumes(): Promise<void> {
    const { folder, volumes, request } = this.#options;
    const { template } = request.action;
    const own = new Set((template.volumes ?? []).map(({ name }) => name));
    const mounted = new Set<string>();
    // A volume that is mounted within another one needs that one first.
    for (const { name, mountPath, subPath = '' } of mountsOf(template).sort(
      (a, b) => a.mountPath.length - b.mountPath.length,
    )) {
      const target = actualPath(mountPath, this.#paths);
      if (mounted.has(target)) continue;
      mounted.add(target);
      const source = join(own.has(name) ? join(folder, 'volumes') : volumes, name, subPath);
      await mkdir(source, { recursive: true });
      await mkdir(dirname(target), { recursive: true });
      // A volume covers what is there.
      await rm(target, { recursive: true, force: true });
      await symlink(source, target);
    }
  }

  async #fetch(artifact: Artifact): Promise<void> {
    const { artifacts } = this.#options;
    const isFetched = await artifacts.fetch(artifact, actualPath(artifact.path ?? '', this.#paths));
    if (isFetched || artifact.optional === true) return;
    throw new WorkflowError('cannot-run', `artifact ${artifact.name} failed to load: it does not exist`);
  }

  async #readOutputs(): Promise<Pick<PodEnd, 'parameters' | 'artifacts'>> {
    const { artifacts, request } = this.#options;
    const { template, podName } = request.action;
    const parameters: Record<string, string> = {};
    for (const { name, valueFrom } of template.outputs?.parameters ?? []) {
      const content = await readText(actualPath(valueFrom?.path ?? '', this.#paths));
      if (content !== undefined) parameters[name] = content;
    }
    const stored: Artifact[] = [];
    for (const artifact of template.outputs?.artifacts ?? []) {
      const defaultKey = `${request.workflow.name}/${podName}/${artifact.name}`;
      const kept = await artifacts.store(artifact, actualPath(artifact.path ?? '', this.#paths), defaultKey);
      if (kept !== undefined) stored.push(kept);
    }
    return { parameters, artifacts: stored };
  }
}

const readText = (path: string): Promise<string | undefined> => readFile(path, 'utf8').catch(() => undefined);
