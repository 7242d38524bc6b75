import type { ASTNode } from '@marcbachmann/cel-js';

/** A type as the checker knows it. */
export interface CelType {
  readonly kind: string;
  readonly name: string;
  readonly keyType?: CelType;
  readonly valueType?: CelType;
  isDynOrBool(): boolean;
  unify(registry: unknown, other: CelType): CelType | null;
}

/** Values of variables while an expression is checked or evaluated. */
export interface Scope {
  getValue(name: string): unknown;
  forkWithVariable(name: string, type: CelType): LoopScope;
}

/** A scope with one more variable, made once by the check and reused by every evaluation. */
export interface LoopScope extends Scope {
  reuse(parent: Scope): LoopScope;
  setIterValue(value: unknown, evaluator: Evaluator): LoopScope;
}

export interface Checker {
  readonly registry: unknown;
  check(node: ASTNode, scope: Scope): CelType;
  getType(name: string): CelType;
  createError(code: string, message: string, node: ASTNode): Error;
}

export interface Evaluator {
  run(node: ASTNode, scope: Scope): unknown;
  createError(code: string, message: string, node: ASTNode): Error;
}

/** What a node does instead of what its operator says. */
export interface Macro {
  typeCheck(checker: Checker, macro: Macro, scope: Scope): CelType;
  evaluate(evaluator: Evaluator, macro: Macro, scope: Scope): unknown;
}

type Handle = (...values: unknown[]) => unknown;

/** The parts of the library's nodes that its type declarations leave out. Its version is pinned for their sake. */
interface OpenNode {
  handle?: Handle;
  setMeta(key: string, value: unknown): OpenNode;
}

/** Gives a node a meaning of our own. Must happen before the expression is checked. */
export function replaceMeaning(node: ASTNode, macro: Macro): void {
  const open = node as unknown as OpenNode;
  open.setMeta('alternate', undefined).setMeta('macro', macro).setMeta('async', false);
}

/** Puts a function around a node's operation on values. Must happen after the expression was checked. */
export function wrapOperation(node: ASTNode, wrap: (handle: Handle) => Handle): void {
  const open = node as unknown as OpenNode;
  if (open.handle !== undefined) open.handle = wrap(open.handle);
}
