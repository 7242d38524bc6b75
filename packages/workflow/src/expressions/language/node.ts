/** An expression as a tree. `position` is where its error messages point. */
export type Node =
  | { readonly type: 'literal'; readonly position: number; readonly value: null | boolean | string | bigint | number }
  | { readonly type: 'bytes'; readonly position: number; readonly value: string }
  | { readonly type: 'identifier'; readonly position: number; readonly name: string }
  | UnaryNode
  | BinaryNode
  | MemberNode
  | { readonly type: 'chain'; readonly position: number; readonly node: Node }
  | SliceNode
  | CallNode
  | BuiltinNode
  | { readonly type: 'closure'; readonly position: number; readonly body: Node }
  /** `#`, `#acc`, `#index`. */
  | { readonly type: 'pointer'; readonly position: number; readonly name: string }
  | ConditionalNode
  | VariableNode
  | { readonly type: 'sequence'; readonly position: number; readonly nodes: readonly Node[] }
  | { readonly type: 'list'; readonly position: number; readonly items: readonly Node[] }
  | { readonly type: 'map'; readonly position: number; readonly pairs: readonly (readonly [Node, Node])[] };

export interface UnaryNode {
  readonly type: 'unary';
  readonly position: number;
  readonly operator: string;
  readonly operand: Node;
}

export interface BinaryNode {
  readonly type: 'binary';
  readonly position: number;
  readonly operator: string;
  readonly left: Node;
  readonly right: Node;
}

export interface MemberNode {
  readonly type: 'member';
  readonly position: number;
  readonly base: Node;
  readonly property: Node;
  readonly isOptional: boolean;
}

export interface SliceNode {
  readonly type: 'slice';
  readonly position: number;
  readonly base: Node;
  readonly from: Node | undefined;
  readonly to: Node | undefined;
}

export interface CallNode {
  readonly type: 'call';
  readonly position: number;
  readonly callee: Node;
  readonly args: readonly Node[];
}

/** A call of a function of the language. */
export interface BuiltinNode {
  readonly type: 'builtin';
  readonly position: number;
  readonly name: string;
  readonly args: readonly Node[];
}

export interface ConditionalNode {
  readonly type: 'conditional';
  readonly position: number;
  readonly condition: Node;
  readonly whenTrue: Node;
  readonly whenFalse: Node;
}

/** `let name = value; body`. */
export interface VariableNode {
  readonly type: 'variable';
  readonly position: number;
  readonly name: string;
  readonly value: Node;
  readonly body: Node;
}

/** The nodes directly below a node. */
export function childrenOf(node: Node): readonly Node[] {
  switch (node.type) {
    case 'literal':
    case 'bytes':
    case 'identifier':
    case 'pointer':
      return [];
    case 'unary':
      return [node.operand];
    case 'binary':
      return [node.left, node.right];
    case 'member':
      return [node.base, node.property];
    case 'chain':
      return [node.node];
    case 'slice':
      return [node.base, node.from, node.to].filter(part => part !== undefined);
    case 'call':
      return [node.callee, ...node.args];
    case 'builtin':
      return node.args;
    case 'closure':
      return [node.body];
    case 'conditional':
      return [node.condition, node.whenTrue, node.whenFalse];
    case 'variable':
      return [node.value, node.body];
    case 'sequence':
      return node.nodes;
    case 'list':
      return node.items;
    case 'map':
      return node.pairs.flat();
  }
}
