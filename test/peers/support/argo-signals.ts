import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunningProcess, TestCluster, TestLandscape } from '@chandlery/testing';

/** What the controller logs before it has a container signalled: `…/namespaces/N/pods/P/exec?…command=kill&command=15&…`. */
const execLine = /\/namespaces\/([^/]+)\/pods\/([^/]+)\/exec\?command=\S*?kill&command=(\d+)\S*?container=([\w-]+)/g;

/**
 * Signals containers in place of the `exec` of a Kubernetes node, which local nodes do not offer: the request of the
 * controller is taken from its log and given to Argo's executor in the pod, by the file that it watches for signals.
 */
export function standInForExec(landscape: TestLandscape, cluster: TestCluster, controller: RunningProcess): Disposable {
  const done = new Set<string>();
  const look = async (): Promise<void> => {
    for (const [line, namespace = '', pod = '', signal = '', container = ''] of controller
      .output()
      .matchAll(execLine)) {
      if (container === 'wait' || done.has(line)) continue;
      const { stdout: uid } = await cluster.kubectl([
        'get',
        'pod',
        pod,
        '-n',
        namespace,
        '-o',
        'jsonpath={.metadata.uid}',
      ]);
      const shared = join(landscape.dataDir, 'node/pods', uid, '.volumes/var-run-argo/ctr', container);
      await writeFile(join(shared, 'signal'), signal).then(
        () => done.add(line),
        () => undefined,
      );
    }
  };
  let busy: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    busy = busy.then(look).catch(() => undefined);
  }, 500);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
