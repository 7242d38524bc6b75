import type { ASTNode, Environment } from '@marcbachmann/cel-js';
import { lackingFunctions, replacedFunctions, supportedFunctions, supportedMethods } from './functions/names.ts';
import type { Patterns } from './functions/patterns.ts';
import { type CelType, type Checker, type Macro, replaceMeaning, type Scope } from './library.ts';
import { countLoopVariables, loopMacro } from './loops.ts';
import { equalityMacro, hasMacro, optionalMacro, variableMacro } from './macros.ts';
import type { Meter } from './meter.ts';
import { chargeAndRun, childrenOf, costOfNodes, meterOperations } from './metering.ts';
import { describeError, ExpressionError, placeOf } from './problems.ts';
import { listTypeOf, mapTypeOf } from './type-names.ts';

/** What expressions are compiled in. */
export interface ExpressionDeps {
  readonly environment: Environment;
  readonly patterns: Patterns;
  readonly meter: Meter;
}

/** The types of the variables that an expression may use, by name. */
export type Variables = Readonly<Record<string, string>>;

export interface Expression {
  readonly type: string;
  /** Variables that the expression mentions. */
  readonly uses: ReadonlySet<string>;
  /** Throws when the evaluation fails. */
  readonly evaluate: (values: Readonly<Record<string, unknown>>) => unknown;
}

/** Parses and checks an expression. Throws an {@link ExpressionError} when Kubernetes would reject it or we cannot do it. */
export function compileExpression(source: string, variables: Variables, deps: ExpressionDeps): Expression {
  try {
    const parsed = deps.environment.parse(source);
    const uses = new Set<string>();
    prepare(parsed.ast, { ...deps, variables, uses }, new Set());
    const { valid, type = 'dyn', error } = parsed.check();
    if (!valid) throw error ?? new Error('the expression cannot be checked');
    meterOperations(parsed.ast, deps.meter);
    const cost = costOfNodes([parsed.ast]);
    return { type, uses, evaluate: values => chargeAndRun(deps.meter, cost, () => parsed(values) as unknown) };
  } catch (error) {
    if (error instanceof ExpressionError) throw error;
    throw new ExpressionError('invalid', `compilation failed: ${describeError(error)}`);
  }
}

interface Preparation extends ExpressionDeps {
  readonly variables: Variables;
  readonly uses: Set<string>;
}

/** Gives nodes our meaning where it differs from the library's. `bound` are variables of loops around the node. */
function prepare(node: ASTNode, preparation: Preparation, bound: ReadonlySet<string>): void {
  if (node.op === 'id') prepareVariable(node, preparation, bound);
  if (node.op === 'call') prepareCall(node, preparation);
  if (node.op === 'rcall' && prepareMethod(node, preparation, bound)) return;
  if (node.op === 'list') replaceMeaning(node, listMacro(node));
  if (node.op === 'map') replaceMeaning(node, mapMacro(node));
  if (node.op === '==' || node.op === '!=') replaceMeaning(node, equalityMacro(node, preparation.meter));
  for (const child of childrenOf(node)) prepare(child, preparation, bound);
}

function prepareVariable(node: Variable, { variables, uses }: Preparation, bound: ReadonlySet<string>): void {
  const name = node.args;
  const type = Object.hasOwn(variables, name) ? variables[name] : undefined;
  if (type === undefined || bound.has(name)) return;
  uses.add(name);
  replaceMeaning(node, variableMacro(name, type));
}

type Variable = Extract<ASTNode, { op: 'id' }>;
type Call = Extract<ASTNode, { op: 'call' }>;
type MethodCall = Extract<ASTNode, { op: 'rcall' }>;

function prepareCall(node: Call, { patterns }: Preparation): void {
  const [name, args] = node.args;
  expectSupported(name, supportedFunctions, node);
  const [argument] = args;
  if (name === 'has' && argument !== undefined) replaceMeaning(node, hasMacro(argument));
  if (name === 'matches') checkPattern(args[1], patterns);
  node.args[0] = replacedFunctions.get(name) ?? name;
}

/** True when the children have been prepared too. */
function prepareMethod(node: MethodCall, preparation: Preparation, bound: ReadonlySet<string>): boolean {
  const [name, receiver, args] = node.args;
  expectSupported(name, supportedMethods, node);
  if (['matches', 'find', 'findAll'].includes(name)) checkPattern(args[0], preparation.patterns);
  node.args[0] = replacedFunctions.get(name) ?? name;
  const isOptional = (name === 'optMap' || name === 'optFlatMap') && args.length === 2;
  const count = isOptional ? 1 : countLoopVariables(name, args.length);
  if (count === undefined) return false;
  const variables = args.slice(0, count).map(variable => nameOf(variable, name));
  replaceMeaning(
    node,
    isOptional ? optionalMacro(node, variables[0] ?? '') : loopMacro(node, variables, preparation.meter),
  );
  prepare(receiver, preparation, bound);
  const inner = new Set([...bound, ...variables]);
  for (const part of args.slice(count)) prepare(part, preparation, inner);
  return true;
}

function nameOf(variable: ASTNode, loop: string): string {
  if (variable.op === 'id') return variable.args;
  throw new ExpressionError('invalid', `compilation failed: ${placeOf(variable)}${loop}() needs a name here`);
}

function expectSupported(name: string, supported: ReadonlySet<string>, node: ASTNode): void {
  if (supported.has(name)) return;
  if (lackingFunctions.has(name)) throw new ExpressionError('lacking', `${name}()`);
  throw new ExpressionError(
    'invalid',
    `compilation failed: ${placeOf(node)}undeclared reference to '${name}' (in container '')`,
  );
}

/** A literal pattern is known to be right before any object is checked by it. */
function checkPattern(node: ASTNode | undefined, patterns: Patterns): void {
  if (node?.op === 'value' && typeof node.args === 'string') patterns.declare(node.args);
}

/** `[a, b]`; values of different types make a list of dynamic values. */
function listMacro({ args }: Extract<ASTNode, { op: 'list' }>): Macro {
  return {
    typeCheck: (checker, _, scope) =>
      args.length === 0 ? checker.getType('list<T>') : listTypeOf(checker, commonType(checker, args, scope)),
    evaluate: (evaluator, _, scope) => args.map(item => evaluator.run(item, scope)),
  };
}

/** `{k: v}`. */
function mapMacro({ args }: Extract<ASTNode, { op: 'map' }>): Macro {
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
