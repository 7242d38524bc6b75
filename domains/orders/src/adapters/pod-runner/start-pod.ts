import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { isError, type KubeObject } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import type { PrivatePaths } from '@chandlery/clusters/kinds';
import type { Volume } from '@chandlery/workflow';
import type { StartRequest } from '../../workflow-ports.ts';
import { buildPod } from './build-pod.ts';
import { type NodeFolders, pathsOfNode, scriptPath, volumeFolder } from './declared-paths.ts';
import { endsPath } from './ordered-containers.ts';
import { placeInputs, type StagedInput, stageInputs } from './place-inputs.ts';
import type { PodRunnerOptions } from './pod-runner.ts';
import { removeFinalizer } from './remove-finalizer.ts';

type Deps = Pick<PodRunnerOptions, 'client' | 'folder' | 'artifacts' | 'envOf'>;

interface SpecVolumes {
  readonly volumes?: readonly Volume[];
  readonly volumeClaimTemplates?: readonly { readonly metadata?: { readonly name?: string } }[];
}

/** Places a node's inputs and creates its pod. Returns the uid of the pod. */
export async function startPod(deps: Deps, request: StartRequest): Promise<string> {
  const { workflow, action, spec } = request;
  const folders = foldersOf(deps, request);
  const stageFolder = join(folders.node, 'stage');
  const staged = await stageInputs({ ...deps, template: action.template, workflow, folder: stageFolder });
  const paths = privatePathsOf(deps, request, staged);
  for (const { kind, hostPath } of paths.entries) if (kind === 'directory') await mkdir(hostPath, { recursive: true });
  await placeInputs(staged, action.template.script?.source, { scriptPath, hostPathOf: paths.hostPathOf });
  const { volumes, claimNames } = volumesOf(request);
  const pod = buildPod({
    request,
    annotations: paths.annotations,
    volumes: volumes.filter(volume => volumeFolder(volume, { folders, claimNames }) === undefined),
    env: deps.envOf?.(workflow, spec) ?? [],
  });
  return createPod(deps.client, pod, request.earlierStart === 'none');
}

const maxAttempts = 50;
const retryMs = 100;

/** A pod of the same name from an earlier run of the node is replaced; otherwise it is the one that was to be created. */
async function createPod(client: Client, pod: KubeObject, mustBeNew: boolean): Promise<string> {
  const { namespace = '', name = '' } = pod.metadata;
  for (let attempt = 1; ; attempt++) {
    try {
      return (await client.create({ ...pods, namespace }, pod)).metadata.uid ?? '';
    } catch (error) {
      if (!isError(error, 'AlreadyExists') || attempt >= maxAttempts) throw error;
    }
    const found = await client.get({ ...pods, namespace, name });
    if (!mustBeNew) return found.metadata.uid ?? '';
    await client.delete({ ...pods, namespace, name }, { gracePeriodSeconds: 0 });
    await removeFinalizer(client, found);
    await pause(retryMs);
  }
}

const pods = { group: '', version: 'v1', plural: 'pods' } as const;

/** The folders of a node. The same after a restart. */
export const foldersOf = ({ folder }: Pick<Deps, 'folder'>, { workflow, action }: StartRequest): NodeFolders => ({
  node: join(folder, workflow.uid, action.podName),
  claims: join(folder, workflow.uid, '.claims'),
});

/** Where a node's private paths are. The same after a restart, but for inputs, which only the start needs. */
export function privatePathsOf(
  deps: Pick<Deps, 'folder'>,
  request: StartRequest,
  staged: readonly StagedInput[],
): PrivatePaths {
  const { template } = request.action;
  const directories = new Set(
    staged.filter(({ isDirectory }) => isDirectory).map(({ artifact }) => artifact.path ?? ''),
  );
  const folders = foldersOf(deps, request);
  const { volumes, claimNames } = volumesOf(request);
  if (template.containerSet === undefined) return pathsOfNode({ template, volumes, claimNames, folders, directories });
  const ends = { name: '.ends', mountPath: endsPath };
  const set = { ...template.containerSet, volumeMounts: [...(template.containerSet.volumeMounts ?? []), ends] };
  const all = [...volumes, { name: '.ends', emptyDir: {} }];
  return pathsOfNode({ template: { ...template, containerSet: set }, volumes: all, claimNames, folders, directories });
}

function volumesOf({ spec, action }: StartRequest): { volumes: readonly Volume[]; claimNames: ReadonlySet<string> } {
  const { volumes = [], volumeClaimTemplates = [] } = spec as SpecVolumes;
  const claims = volumeClaimTemplates.map(({ metadata }): Volume => ({ name: metadata?.name ?? '' }));
  return {
    volumes: [...volumes, ...(action.template.volumes ?? []), ...claims],
    claimNames: new Set(claims.map(({ name }) => name)),
  };
}
