import type { Expression } from '../expressions/index.ts';
import { childrenOf, type Node } from '../expressions/language/node.ts';
import { pathOf } from '../expressions/language/references.ts';

/**
 * The paths that must be in the environment of an expression. Of one that is guarded by `??` or `?.` only the first name
 * is: what lies below may be absent.
 */
export function requiredPaths({ tree, freeNames }: Expression): (readonly string[])[] {
  const free = new Set(freeNames.map(({ name }) => name));
  const paths: (readonly string[])[] = [];
  const visit = (node: Node, isGuarded: boolean): void => {
    const path = pathOf(node);
    if (path !== undefined) {
      if (free.has(path[0] ?? '')) paths.push(isGuarded || isOptional(node) ? path.slice(0, 1) : path);
    } else if (node.type === 'binary' && node.operator === '??') {
      visit(node.left, true);
      visit(node.right, isGuarded);
    } else {
      for (const child of childrenOf(node)) visit(child, isGuarded);
    }
  };
  visit(tree, false);
  return paths;
}

function isOptional(node: Node): boolean {
  if (node.type === 'chain') return isOptional(node.node);
  return node.type === 'member' && (node.isOptional || isOptional(node.base));
}
