import { spawnSync } from 'node:child_process';
import type { KubeObject } from '@chandlery/api';
import {
  type DeclaredPath,
  isolationAnnotation,
  type PrivatePaths,
  privatePaths,
} from '../../../kinds/private-paths.ts';
import type { PodSpec } from '../../../model/pods/pod.ts';
import { isOver, type PodStatus } from '../../../model/pods/pod-status.ts';
import type { PodNode } from '../../../ports.ts';
import { noSources, readText, testPod, untilStatus } from '../test-node.ts';

/** Why tests of namespaces cannot run here; false when they can. Asks another tool: a launcher that does not work must not skip its tests. */
export function withoutNamespaces(): string | false {
  const options = ['--user', '--map-root-user', '--pid', '--mount', '--fork', '--mount-proc', 'true'];
  const { status, stderr, error } = spawnSync('unshare', options, { encoding: 'utf8' });
  return status === 0 ? false : (error?.message ?? stderr.trim());
}

/** An isolated pod that runs once. */
export function isolatedPod(spec: PodSpec, uid = 'u1', paths?: PrivatePaths): KubeObject {
  const pod = testPod({ restartPolicy: 'Never', ...spec }, uid);
  const annotations = paths?.annotations ?? { [isolationAnnotation]: 'namespaces' };
  return { ...pod, metadata: { ...pod.metadata, annotations } };
}

/** Private paths in a folder of the pod's name. */
export const pathsOf = (folder: string, uid: string, paths: readonly DeclaredPath[]): PrivatePaths =>
  privatePaths({ folder: `${folder}/private/${uid}`, paths });

/** Runs a pod to its end. */
export async function runToEnd(node: PodNode, pod: KubeObject): Promise<{ status: PodStatus; log: string }> {
  const uid = pod.metadata.uid ?? '';
  node.runPod(pod, noSources);
  const status = await untilStatus(node, uid, ({ phase }) => isOver(phase));
  return { status, log: await readText(node.readLog({ uid, container: 'main' })) };
}
