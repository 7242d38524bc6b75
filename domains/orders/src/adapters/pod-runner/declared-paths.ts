import { join } from 'node:path';
import { type DeclaredPath, type PrivatePaths, privatePaths } from '@chandlery/clusters/kinds';
import type { Container, Template, Volume, VolumeMount } from '@chandlery/workflow';

/** Where a script's file is for its container. */
export const scriptPath = '/argo/staging/script';

/** The name of the container that the node's result is about. */
export const mainContainer = 'main';

export interface NodeFolders {
  /** Of the node: its private files. */
  readonly node: string;
  /** Of the workflow: what its volumeClaimTemplates stand for. */
  readonly claims: string;
}

/** The containers of a template by name, without sidecars and init containers. */
export function mainContainersOf(template: Template): readonly (Container & { readonly name: string })[] {
  if (template.containerSet !== undefined) return template.containerSet.containers;
  const container = template.container ?? template.script;
  return container === undefined ? [] : [{ ...container, name: mainContainer }];
}

/** All containers of a template by name. */
export const containersOf = (template: Template): readonly (Container & { readonly name: string })[] => [
  ...(template.initContainers ?? []),
  ...(template.sidecars ?? []),
  ...mainContainersOf(template),
];

interface PathSources {
  readonly template: Template;
  readonly volumes: readonly Volume[];
  /** Names of volumes that are claims of the workflow. */
  readonly claimNames: ReadonlySet<string>;
  readonly folders: NodeFolders;
  /** Paths of input artifacts that are folders. */
  readonly directories: ReadonlySet<string>;
}

/** The folder behind a volume that is ours to make; undefined for volumes that the pod's node makes. */
export function volumeFolder(
  { name, emptyDir, persistentVolumeClaim }: Volume,
  { folders, claimNames }: Pick<PathSources, 'folders' | 'claimNames'>,
): string | undefined {
  if (claimNames.has(name)) return join(folders.claims, name);
  return emptyDir === undefined || persistentVolumeClaim !== undefined
    ? undefined
    : join(folders.node, 'volumes', name);
}

/** All paths that are a node's own: of inputs and outputs, of its script, and of volumes that are folders. */
export function pathsOfNode(sources: PathSources): PrivatePaths {
  const { template, directories, folders } = sources;
  const { inputs = {}, outputs = {} } = template;
  const files = [
    ...(inputs.artifacts ?? []).map(({ path }) => path),
    ...(outputs.artifacts ?? []).map(({ path }) => path),
    ...(outputs.parameters ?? []).map(({ valueFrom }) => valueFrom?.path),
  ].filter(path => path !== undefined && path !== '');
  const declared = files.map(
    (path): DeclaredPath => ({ path: path ?? '', kind: directories.has(path ?? '') ? 'directory' : 'file' }),
  );
  const script: DeclaredPath[] =
    template.script === undefined ? [] : [{ path: scriptPath, kind: 'file', isScript: true }];
  return privatePaths({
    folder: join(folders.node, 'paths'),
    paths: [...volumePaths(sources), ...script, ...declared],
  });
}

function volumePaths(sources: PathSources): DeclaredPath[] {
  const folders = new Map(sources.volumes.map(volume => [volume.name, volumeFolder(volume, sources)]));
  return containersOf(sources.template).flatMap(container =>
    mountsOf(sources.template, container).flatMap(({ name, mountPath, subPath = '' }): DeclaredPath[] => {
      const folder = folders.get(name);
      if (folder === undefined) return [];
      return [
        { path: mountPath, kind: 'directory', hostPath: join(folder, join('/', subPath)), container: container.name },
      ];
    }),
  );
}

/** The volume mounts of a container: its own, those of its set, and mirrored ones. */
export function mountsOf(
  template: Template,
  container: Container & { readonly mirrorVolumeMounts?: boolean },
): readonly VolumeMount[] {
  const { volumeMounts = [] } = container;
  const isInSet = template.containerSet?.containers.some(({ name }) => name === container.name) ?? false;
  const shared = isInSet ? (template.containerSet?.volumeMounts ?? []) : [];
  const mirrored =
    container.mirrorVolumeMounts === true ? mainContainersOf(template).flatMap(main => main.volumeMounts ?? []) : [];
  return [...volumeMounts, ...shared, ...mirrored];
}
