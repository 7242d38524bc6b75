import { childrenOf, type MemberNode, type Node } from './node.ts';

/** A name that is neither a function nor declared by `let`. */
export interface FreeName {
  readonly name: string;
  readonly position: number;
}

/** The names that an expression takes from its environment. */
export function findFreeNames(root: Node, isKnown: (name: string) => boolean): FreeName[] {
  const names = new Map<string, FreeName>();
  const visit = (node: Node, declared: ReadonlySet<string>): void => {
    if (node.type === 'identifier') {
      const { name, position } = node;
      if (name !== '$env' && !declared.has(name) && !isKnown(name) && !names.has(name))
        names.set(name, { name, position });
    }
    if (node.type === 'variable') {
      visit(node.value, declared);
      visit(node.body, new Set([...declared, node.name]));
    } else for (const child of childrenOf(node)) visit(child, declared);
  };
  visit(root, new Set());
  return [...names.values()];
}

/** Every path of names, the longest of each: `inputs.parameters.x`, and `inputs.parameters` of `inputs.parameters[name]`. */
export function findPaths(root: Node): (readonly string[])[] {
  const paths: (readonly string[])[] = [];
  const visit = (node: Node): void => {
    const path = pathOf(node);
    if (path !== undefined) paths.push(path);
    else for (const child of childrenOf(node)) visit(child);
  };
  visit(root);
  return paths;
}

/** The names of a chain of members; undefined when a part of it is computed. */
export function pathOf(node: Node): readonly string[] | undefined {
  if (node.type === 'identifier') return [node.name];
  if (node.type === 'chain') return pathOf(node.node);
  return node.type === 'member' ? memberPath(node) : undefined;
}

function memberPath({ base, property }: MemberNode): readonly string[] | undefined {
  const start = pathOf(base);
  const isName = property.type === 'literal' && typeof property.value === 'string';
  return start !== undefined && isName ? [...start, String(property.value)] : undefined;
}
