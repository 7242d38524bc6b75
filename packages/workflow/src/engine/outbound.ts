import type { Core } from './core.ts';
import type { NodeStatus } from './node-status.ts';

/** The last nodes below a node, the parents of the nodes that follow it. */
export function outboundNodes(core: Core, node: NodeStatus): NodeStatus[] {
  switch (node.type) {
    case 'Pod':
      return core.nodes.childrenOf(node).some(({ type }) => type === 'Container') ? ofChildren(core, node) : [node];
    case 'Container':
    case 'TaskGroup':
      return ofChildren(core, node);
    case 'Retry': {
      const last = core.nodes.childrenOf(node).at(-1);
      return [last ?? node];
    }
    case 'Steps':
    case 'DAG':
      return node.memoizationStatus?.hit === true ? [node] : ofStored(core, node);
    case 'StepGroup':
      return ofStored(core, node);
    default:
      return [node];
  }
}

function ofChildren(core: Core, node: NodeStatus): NodeStatus[] {
  const children = core.nodes.childrenOf(node);
  if (children.length === 0) return [node];
  return children.flatMap(child => {
    const isOutside = node.type === 'Container' && node.boundaryID !== child.boundaryID;
    return isOutside ? [node] : outboundNodes(core, child);
  });
}

/** A template that ended before any of its children was made is its own end. */
function ofStored(core: Core, node: NodeStatus): NodeStatus[] {
  const stored = (node.outboundNodes ?? []).map(id => core.nodes.byId(id)).filter(outbound => outbound !== undefined);
  const ends = stored.flatMap(outbound => (outbound === node ? [node] : outboundNodes(core, outbound)));
  return ends.length === 0 ? [node] : ends;
}
