import type { ContainerNode } from '../document/container.ts';
import type { BodyOptions } from './body.ts';
import { isFulfilled, type NodeStatus } from './node-status.ts';
import type { Ended } from './observations.ts';

const containersOf = ({ template }: BodyOptions): readonly ContainerNode[] => template.containerSet?.containers ?? [];

/** Makes a node for each container of a set, below those that it depends on. */
export function openContainers(options: BodyOptions, pod: NodeStatus): void {
  const { core, holder, templateScope, flag } = options;
  const nameOf = (container: string): string => `${pod.name}.${container}`;
  for (const { name } of containersOf(options)) {
    if (core.nodes.get(nameOf(name)) !== undefined) continue;
    core.nodes.create({
      name: nameOf(name),
      type: 'Container',
      phase: 'Pending',
      holder,
      templateScope,
      boundary: pod.name,
      flag,
    });
  }
  for (const { name, dependencies = [] } of containersOf(options)) {
    const node = core.nodes.get(nameOf(name));
    if (node === undefined) continue;
    const parents = dependencies.length === 0 ? [pod] : dependencies.map(parent => core.nodes.get(nameOf(parent)));
    for (const parent of parents) if (parent !== undefined) core.nodes.addChild(parent, node);
  }
}

/** Updates the nodes of containers: running, ended with their exit codes, or failed with the pod's message. */
export function markContainers(options: BodyOptions, pod: NodeStatus, state: Ended | string | undefined): void {
  const { core } = options;
  for (const container of containersOf(options)) {
    const node = core.nodes.get(`${pod.name}.${container.name}`);
    if (node === undefined || isFulfilled(node)) continue;
    if (state === undefined) core.nodes.mark(node, 'Running');
    else if (typeof state === 'string') core.nodes.mark(node, 'Failed', state);
    else markEnded(options, node, container, state.containers ?? {});
  }
}

type ExitCodes = NonNullable<Ended['containers']>;

function markEnded({ core }: BodyOptions, node: NodeStatus, container: ContainerNode, codes: ExitCodes): void {
  const { name } = container;
  const exitCode = codes[name];
  if (exitCode === undefined) return core.nodes.mark(node, 'Failed', 'Pod Failed whilst container running');
  if (exitCode === 0) return core.nodes.mark(node, 'Succeeded');
  const isExecutorError = exitCode === 64;
  const cause = isExecutorError ? failedDependency(container, codes) : '';
  core.nodes.mark(node, isExecutorError ? 'Error' : 'Failed', `${name}: Error (exit code ${exitCode}): ${cause}`);
}

function failedDependency({ dependencies = [] }: ContainerNode, codes: ExitCodes): string {
  const failed = dependencies.find(name => (codes[name] ?? 0) !== 0);
  return failed === undefined ? '' : `dependency "${failed}" exited with non-zero code: ${codes[failed] ?? 0}`;
}
