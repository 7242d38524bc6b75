import type { ASTNode } from '@marcbachmann/cel-js';
import type { CelType, Checker, Macro, Scope } from './library.ts';
import { listTypeOf, mapTypeOf } from './type-names.ts';

/** `[a, b]`; values of different types make a list of dynamic values. */
export function listMacro({ args }: Extract<ASTNode, { op: 'list' }>): Macro {
  return {
    typeCheck: (checker, _, scope) =>
      args.length === 0 ? checker.getType('list<T>') : listTypeOf(checker, commonType(checker, args, scope)),
    evaluate: (evaluator, _, scope) => args.map(item => evaluator.run(item, scope)),
  };
}

/** `{k: v}`. */
export function mapMacro({ args }: Extract<ASTNode, { op: 'map' }>): Macro {
  const keys = args.map(([key]) => key);
  const values = args.map(([, value]) => value);
  return {
    typeCheck(checker, _, scope) {
      if (args.length === 0) return checker.getType('map<K, V>');
      return mapTypeOf(checker, commonType(checker, keys, scope), commonType(checker, values, scope));
    },
    evaluate: (evaluator, _, scope) =>
      new Map(args.map(([key, value]) => [evaluator.run(key, scope), evaluator.run(value, scope)])),
  };
}

function commonType(checker: Checker, nodes: readonly ASTNode[], scope: Scope): CelType {
  const dyn = checker.getType('dyn');
  return nodes
    .map(node => checker.check(node, scope))
    .reduce((common, type) => common.unify(checker.registry, type) ?? dyn);
}
