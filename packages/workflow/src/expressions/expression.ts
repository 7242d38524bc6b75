import type { JsonValue } from '@chandlery/api';
import { WorkflowError } from '../errors.ts';
import { argoFunctions } from './functions/argo.ts';
import { builtins, isBuiltin } from './functions/builtins.ts';
import { compileNode } from './language/compile.ts';
import type { Code, Frame } from './language/frame.ts';
import type { Node } from './language/node.ts';
import { parse } from './language/parser.ts';
import { type FreeName, findFreeNames, findPaths } from './language/references.ts';
import { errorAt } from './language/syntax-error.ts';
import { Failure, fail } from './values/failure.ts';
import { goJson } from './values/json-text.ts';
import { Meter } from './values/meter.ts';
import { ownValue, type StringMap, type Value } from './values/value.ts';

/** An expression that was parsed. May be evaluated any number of times. */
export interface Expression {
  readonly source: string;
  readonly tree: Node;
  readonly code: Code;
  /** Names that the environment must have. */
  readonly freeNames: readonly FreeName[];
}

export interface EvaluateOptions {
  /** Steps that an evaluation may take. Default {@link defaultMaxCost}. */
  readonly maxCost?: number;
  /** The clock for `now()` and the like, in milliseconds since 1970. Default: expressions that ask for the time fail. */
  readonly now?: number;
  /** The source for `sprig.uuidv4()` and the like: numbers from 0 to 1. Default: expressions that ask for one fail. */
  readonly random?: () => number;
}

/** Names of the environment, nested: `{inputs: {parameters: {x: '1'}}}`. Numbers are floats, bigints are ints. */
export type Environment = Readonly<Record<string, unknown>>;

export const defaultMaxCost = 1_000_000;

/** Parses an expression. Throws `invalid-expression`. */
export function compileExpression(source: string): Expression {
  const tree = parse(source, isBuiltin);
  const code = compileNode(tree, { builtins, globals: argoFunctions });
  return {
    source,
    tree,
    code,
    freeNames: findFreeNames(tree, name => isBuiltin(name) || Object.hasOwn(argoFunctions, name)),
  };
}

/** The value of an expression; undefined is nil. Throws `expression-failed` or `expression-too-costly`. */
export function evaluateExpression(
  expression: Expression,
  env: Environment,
  options: EvaluateOptions = {},
): JsonValue | undefined {
  const meter = new Meter(options.maxCost ?? defaultMaxCost);
  const frame = createFrame(env as StringMap, meter, options);
  try {
    checkNames(expression, frame);
    return jsonOf(expression.code(frame), meter);
  } catch (thrown) {
    throw toWorkflowError(thrown, expression.source, frame.position);
  }
}

/** Through its JSON text: lists that contain one another often must not become large, and nothing but JSON may leave. */
function jsonOf(value: Value, meter: Meter): JsonValue | undefined {
  if (value === null) return undefined;
  try {
    return typeof value === 'object' ? (JSON.parse(goJson(value, meter)) as JsonValue) : scalar(value);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    throw new WorkflowError('expression-not-json', error.message, { cause: error });
  }
}

/** Ints beyond the safe ones lose digits in JSON numbers; Go's JSON text has all of them. */
function scalar(value: Exclude<Value, object | null>): JsonValue {
  if (typeof value === 'number' && !Number.isFinite(value))
    fail(`json: unsupported value: ${value > 0 ? '+Inf' : value < 0 ? '-Inf' : 'NaN'}`);
  return typeof value === 'bigint' && Number.isSafeInteger(Number(value)) ? Number(value) : value;
}

function createFrame(env: StringMap, meter: Meter, { now, random }: EvaluateOptions): Frame {
  return {
    env,
    meter,
    variables: [],
    scope: undefined,
    position: 0,
    now: () => now ?? fail('there is no clock here'),
    random: () => random?.() ?? fail('there is no source of random numbers here'),
  };
}

function checkNames({ freeNames }: Expression, frame: Frame): void {
  const missing = freeNames.find(({ name }) => ownValue(frame.env, name) === undefined);
  if (missing === undefined) return;
  frame.position = missing.position;
  fail(`unknown name ${missing.name}`);
}

function toWorkflowError(thrown: unknown, source: string, position: number): WorkflowError {
  if (thrown instanceof WorkflowError) return thrown;
  if (thrown instanceof Failure) return errorAt('expression-failed', source, position, thrown.message);
  // Values that are nested too deeply for the stack.
  if (thrown instanceof RangeError)
    return new WorkflowError('expression-too-costly', 'memory budget exceeded', { cause: thrown });
  throw thrown;
}

/** Dotted paths that an expression reads, from the names of its environment on. Guarded ones (`a.b ?? 'x'`, `a?.b`) too. */
export const referencedPaths = ({ tree }: Expression): readonly (readonly string[])[] => findPaths(tree);
