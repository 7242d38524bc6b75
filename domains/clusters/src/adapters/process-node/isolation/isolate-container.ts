import { realpathSync } from 'node:fs';
import { ChandleryError } from '@chandlery/api';
import { readPrivatePaths } from '../../../kinds/private-paths.ts';
import type { Mount } from '../../../model/pods/mounts.ts';
import type { Container, Pod, Volume } from '../../../model/pods/pod.ts';
import type { NodeIsolation } from '../node-deps.ts';
import { type ContainerView, namespacedView, rewrittenView } from './container-view.ts';
import { isInside, isolationRefused } from './place-mount.ts';

interface Deps {
  readonly pod: Pod;
  readonly container: Container;
  readonly isolation: NodeIsolation;
  readonly mounts: readonly Mount[];
  readonly containerFolder: string;
}

/** Returns the view of a container. Rejects with `IsolationUnavailable`, `IsolationRefused` or `InvalidPrivatePath`. */
export async function isolateContainer(deps: Deps): Promise<ContainerView> {
  const { pod, container, isolation, mounts } = deps;
  const paths = readPrivatePaths(pod.annotations);
  if (paths === undefined) return { isIsolated: false, rewrites: mounts, places: [] };
  const { launcher, hidden, isOptional } = isolation;
  for (const volume of pod.spec.volumes ?? []) checkVolume(volume, hidden);
  for (const { hostPath } of paths) checkHostPath(hostPath, hidden);
  const viewDeps = {
    mounts: mounts.map(mount => ({ ...mount, mountPath: mount.mountPath.replace(/\/+$/, '') })),
    paths: paths.filter(path => path.container === undefined || path.container === container.name),
    folder: deps.containerFolder,
    workingDir: container.workingDir,
    hidden,
  };
  checkZeroBytes(viewDeps);
  const problem = await launcher.problem();
  if (problem === undefined) return namespacedView(viewDeps);
  if (!isOptional) throw isolationUnavailable(problem);
  return rewrittenView(viewDeps);
}

const isolationUnavailable = (problem: string): ChandleryError =>
  new ChandleryError(
    'IsolationUnavailable',
    `The pod asks for isolation, which this machine does not offer: ${problem}. An operator can let such pods run without it.`,
  );

/** The launcher's plan is separated by zero bytes: one inside a path would inject arguments into it. */
function checkZeroBytes(words: unknown): void {
  if (JSON.stringify(words).includes('\\u0000')) throw isolationRefused('a path holds a zero byte.');
}

/** Rejects a volume that would expose what isolation hides. */
function checkVolume({ name, hostPath, projected }: Volume, hidden: readonly string[]): void {
  if (projected?.sources?.some(({ serviceAccountToken }) => serviceAccountToken !== undefined) === true) {
    throw isolationRefused(`volume "${name}" holds a service-account token, which isolated pods do not get.`);
  }
  if (hostPath === undefined) return;
  checkHostPath(hostPath.path, hidden);
  if (hidden.some(folder => isInside(realPath(hostPath.path), realPath(folder)))) {
    throw isolationRefused(`volume "${name}" is in a folder that isolated pods cannot see.`);
  }
}

function checkHostPath(path: string, hidden: readonly string[]): void {
  const real = realPath(path);
  if (real === '/' || hidden.some(folder => isInside(realPath(folder), real))) {
    throw isolationRefused(`"${path}" contains a folder that isolated pods cannot see.`);
  }
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
