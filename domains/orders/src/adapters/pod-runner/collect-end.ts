import { toError } from '@chandlery/api';
import type { Observation } from '@chandlery/workflow';
import type { StartRequest } from '../../workflow-ports.ts';
import { containersOf, mainContainer } from './declared-paths.ts';
import type { PodObject, PodState } from './interpret-pod.ts';
import type { PodRunnerOptions } from './pod-runner.ts';
import { maxResultBytes, readOutputs } from './read-outputs.ts';
import { foldersOf, privatePathsOf } from './start-pod.ts';

type Deps = Pick<PodRunnerOptions, 'folder' | 'artifacts' | 'logs' | 'readPodLog' | 'logger'>;

/** Stores the logs and outputs of a pod that has ended, and says how it ended. */
export async function collectEnd(
  deps: Deps,
  request: StartRequest,
  pod: PodObject,
  state: PodState,
): Promise<Observation> {
  const { node } = request.action;
  await storeLogs(deps, request, pod);
  if (state.type !== 'ended') return { kind: 'lost', node, message: state.type === 'lost' ? state.message : '' };
  try {
    return { kind: 'ended', node, ...endOf(state), ...(await resultsOf(deps, request, pod)) };
  } catch (error) {
    return { kind: 'lost', node, message: `cannot read the outputs: ${toError(error).message}` };
  }
}

const endOf = ({ exitCode, message, isOutOfMemory, containers }: PodState & { type: 'ended' }) => ({
  exitCode,
  isOutOfMemory,
  containers,
  ...(message !== undefined && { message }),
});

async function resultsOf(deps: Deps, request: StartRequest, pod: PodObject) {
  const { workflow, action } = request;
  const folders = foldersOf(deps, request);
  const { hostPathOf } = privatePathsOf(deps, request, []);
  const roots = [folders.node, folders.claims];
  const { template, podName } = action;
  const outputs = await readOutputs({ template, workflow, podName, artifacts: deps.artifacts, roots, hostPathOf });
  if (!action.captureResult) return outputs;
  return { ...outputs, result: await readResult(deps, pod) };
}

/** The end of what the main container wrote to its standard output. */
async function readResult({ readPodLog }: Deps, pod: PodObject): Promise<string> {
  let text = Buffer.alloc(0);
  for await (const chunk of await readPodLog({ pod, container: mainContainer, stream: 'stdout' }))
    text = Buffer.concat([text, chunk]).subarray(-maxResultBytes);
  return text.toString();
}

/** A log that cannot be stored does not change how the node ended. */
async function storeLogs({ logs, readPodLog, logger }: Deps, request: StartRequest, pod: PodObject): Promise<void> {
  const { workflow, action } = request;
  for (const { name: container } of containersOf(action.template)) {
    try {
      const lines = await readPodLog({ pod, container, timestamps: true });
      await logs.write(workflow.uid, { namespace: workflow.namespace, pod: action.podName, container }, lines);
    } catch (error) {
      logger.debug('a log of a node was not stored', { pod: action.podName, container, error: toError(error).message });
    }
  }
}
