import type { ContainerSet } from '@chandlery/workflow';
import type { PodContainer } from './build-pod.ts';

/** The folder in which containers of a set find how others ended. */
export const endsPath = '/argo/ends';

/**
 * Waits for the containers named before `--`, then runs the command and notes how it ended. A container whose
 * predecessor failed does not run, and ends with the code 64 that Argo's executor has for it.
 */
const waitAndRun = [
  'while [ "$1" != -- ]; do',
  `  while [ ! -e ${endsPath}/"$1" ]; do sleep 0.05; done`,
  `  [ "$(cat ${endsPath}/"$1")" = 0 ] || { echo 64 > ${endsPath}/.tmp-"$ARGO_CONTAINER_NAME"; mv ${endsPath}/.tmp-"$ARGO_CONTAINER_NAME" ${endsPath}/"$ARGO_CONTAINER_NAME"; exit 64; }`,
  '  shift',
  'done',
  'shift',
  '"$@"',
  'code=$?',
  `echo $code > ${endsPath}/.tmp-"$ARGO_CONTAINER_NAME"; mv ${endsPath}/.tmp-"$ARGO_CONTAINER_NAME" ${endsPath}/"$ARGO_CONTAINER_NAME"`,
  'exit $code',
].join('\n');

/** The containers of a set, each waiting for those that it depends on. */
export function orderedContainers(
  { containers }: ContainerSet,
  built: readonly PodContainer[],
): readonly PodContainer[] {
  return built.map(container => {
    const { dependencies = [] } = containers.find(({ name }) => name === container.name) ?? {};
    const { command, args = [] } = container;
    if (command === undefined || command.length === 0) return container;
    return {
      ...container,
      command: ['sh', '-c', waitAndRun, 'sh', ...dependencies, '--', ...command, ...args],
      args: [],
    };
  });
}
