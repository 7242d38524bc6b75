import type { ASTNode } from '@marcbachmann/cel-js';
import { includes } from './equality.ts';
import { wrapOperation } from './library.ts';
import { costOf, type Meter } from './meter.ts';
import { mergeLists } from './unordered-list.ts';

/** The expressions that an expression is made of. */
export function childrenOf(node: ASTNode): readonly ASTNode[] {
  switch (node.op) {
    case 'value':
    case 'id':
      return [];
    case '.':
    case '.?':
      return [node.args[0]];
    case 'call':
      return node.args[1];
    case 'rcall':
      return [node.args[1], ...node.args[2]];
    case 'map':
      return node.args.flat();
    case '!_':
    case '-_':
      return [node.args];
    default:
      return node.args;
  }
}

/** Pays first, so that what cannot be paid is not run. */
export function chargeAndRun(meter: Meter, cost: number, run: () => unknown): unknown {
  meter.charge(cost);
  return run();
}

const nodesPerUnit = 16;

/** What it costs to walk expressions once, whatever they find. */
export function costOfNodes(nodes: readonly ASTNode[]): number {
  return 1 + Math.floor(nodes.reduce((sum, node) => sum + countNodes(node), 0) / nodesPerUnit);
}

const countNodes = (node: ASTNode): number => childrenOf(node).reduce((sum, child) => sum + countNodes(child), 1);

/** Makes operations pay for the size of what they look at and of what they make. */
export function meterOperations(node: ASTNode, meter: Meter): void {
  for (const child of childrenOf(node)) meterOperations(child, meter);
  if (node.op === 'call' || node.op === 'rcall') meterCall(node, meter);
  if (node.op === '+') meterSum(node, meter);
  if (node.op === 'in') wrapOperation(node, () => (value, container) => isMember(value, container, meter));
}

function meterCall(node: Extract<ASTNode, { op: 'call' | 'rcall' }>, meter: Meter): void {
  wrapOperation(node, handle => (args, ...rest) => {
    meter.charge(1 + (args as unknown[]).reduce((sum: number, value) => sum + costOf(value), 0));
    return paid(handle(args, ...rest), meter);
  });
}

function meterSum(node: ASTNode, meter: Meter): void {
  wrapOperation(node, add => (left, right, ...rest) => {
    meter.charge(1);
    return paid(mergeLists(left, right) ?? add(left, right, ...rest), meter);
  });
}

function isMember(value: unknown, container: unknown, meter: Meter): boolean {
  meter.charge(1 + costOf(container));
  return includes(container, value);
}

function paid(result: unknown, meter: Meter): unknown {
  meter.charge(costOf(result));
  return result;
}
