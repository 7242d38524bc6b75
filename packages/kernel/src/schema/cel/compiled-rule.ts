import type { StructuralSchema } from '@chandlery/api';
import { compileExpression, type Expression, type ExpressionDeps } from './expression.ts';
import { ExpressionError } from './problems.ts';
import type { Rule } from './rule.ts';
import { resolveFieldPath } from './rule-path.ts';
import { optionalName } from './type-names.ts';
import type { DeclaredType } from './types.ts';

/** A rule that is ready to be evaluated. */
export interface CompiledRule {
  readonly declared: Rule;
  readonly expression: Expression;
  readonly message: Expression | undefined;
  /** True when the rule compares with the old value. */
  readonly isTransition: boolean;
  /** From where the rule stands to the field that is to blame. */
  readonly path: readonly string[];
}

/** Which part of a rule is wrong. */
export interface RuleProblem {
  readonly field: 'rule' | 'messageExpression' | 'optionalOldSelf';
  readonly error: ExpressionError;
}

export type RuleOutcome =
  | { readonly type: 'compiled'; readonly rule: CompiledRule }
  | { readonly type: 'problem'; readonly problem: RuleProblem };

/** Compiles a rule that stands at a schema whose values have the given type. */
export function compileRule(
  declared: Rule,
  type: DeclaredType,
  schema: StructuralSchema,
  deps: ExpressionDeps,
): RuleOutcome {
  const oldType = declared.optionalOldSelf === true ? optionalName(type.name) : type.name;
  const variables = { self: type.name, oldSelf: oldType };
  const compile = (source: string, expected: string): Expression => {
    const expression = compileExpression(source.trim(), variables, deps);
    if (expression.type === expected || expression.type === 'dyn') return expression;
    throw new ExpressionError('invalid', `must evaluate to a ${expected}`);
  };
  let field: RuleProblem['field'] = 'rule';
  try {
    const expression = compile(declared.rule, 'bool');
    const isTransition = expression.uses.has('oldSelf');
    field = 'optionalOldSelf';
    if (declared.optionalOldSelf !== undefined && !isTransition) {
      throw new ExpressionError('invalid', 'may not be set if oldSelf is not used in rule');
    }
    field = 'messageExpression';
    const message =
      declared.messageExpression === undefined ? undefined : compile(declared.messageExpression, 'string');
    const path = declared.fieldPath === undefined ? [] : (resolveFieldPath(declared.fieldPath, schema) ?? []);
    return { type: 'compiled', rule: { declared, expression, message, isTransition, path } };
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    return { type: 'problem', problem: { field, error } };
  }
}
