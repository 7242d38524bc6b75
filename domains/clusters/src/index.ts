/**
 * Clusters: where work runs.
 *
 * So far the part of the *local* source that runs pods: `createProcessNode` gives a {@link PodNode} whose containers are
 * processes of this machine. For development only.
 */
export { createProcessNode, type ProcessNodeOptions } from './adapters/process-node/process-node.ts';
export { type BackOff, defaultBackOff } from './model/back-off.ts';
export type { ImageMap, ImageMapping } from './model/images.ts';
export {
  type ContainerState,
  type ContainerStatus,
  isOver,
  type PodPhase,
  type PodStatus,
} from './model/pod-status.ts';
export type { LogRequest, PodNode, PodSources, PodTokens, StatusListener } from './ports.ts';
