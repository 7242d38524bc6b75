import type { BodyOptions } from './body.ts';
import type { NodePhase, NodeStatus } from './node-status.ts';

/** How steps or a DAG end. */
export interface BodyEnd {
  readonly phase: NodePhase;
  readonly message: string | undefined;
  /** The template could not be executed. Default false. */
  readonly isErrored?: boolean;
}

/** Ends the node of steps or a DAG; `outbound` are its last nodes. */
export function endBody(
  { core, name, owner }: BodyOptions,
  outbound: readonly NodeStatus[],
  { phase, message, isErrored = false }: BodyEnd,
): void {
  const node = core.nodes.get(name);
  if (node === undefined) return;
  node.outboundNodes = outbound.map(({ id }) => id);
  core.stopDaemons(name);
  core.nodes.mark(node, phase, message);
  core.enqueue(() => (isErrored ? owner.bodyErrored(node, message ?? '') : owner.bodyChanged(node)));
}

export const errored = (message: string): BodyEnd => ({ phase: 'Error', message, isErrored: true });
