import { type ErrorCause, fieldCause, type StructuralSchema } from '@chandlery/api';
import { Optional } from '@marcbachmann/cel-js';
import { formatFieldPath } from '../field-path.ts';
import type { Findings } from '../findings.ts';
import type { CompiledRule } from './compiled-rule.ts';
import type { Meter } from './meter.ts';
import { describeError } from './problems.ts';
import type { RuleTree } from './rule-tree.ts';
import type { Converted } from './types.ts';

/** One object on its way through its rules. */
export interface RuleRun {
  readonly found: Findings;
  readonly meter: Meter;
  readonly converted: Converted;
}

interface Values {
  readonly value: unknown;
  readonly old: unknown;
}

/** Evaluates a rule and adds what is wrong. Never throws: a rule that fails is a cause too. */
export function evaluateRule(rule: CompiledRule, tree: RuleTree, values: Values, run: RuleRun): void {
  const { declared, expression, isTransition } = rule;
  if (isTransition && values.old === undefined && declared.optionalOldSelf !== true) return;
  const shown = shownType(tree.schema);
  const path = [...run.found.path];
  try {
    const variables = variablesOf(rule, tree, values, run.converted);
    const isMet = expression.evaluate(variables) === true;
    if (run.meter.isExhausted) run.found.causes.push(budgetCause(path, shown, declared.rule));
    else if (!isMet) run.found.causes.push(brokenCause(rule, [...path, ...rule.path], shown, explain(rule, variables)));
  } catch (error) {
    const detail = describeFailure(describeError(error), declared.message?.trim() ?? declared.rule.trim());
    const cause = fieldCause.invalid(formatFieldPath(path), shown, detail);
    run.found.causes.push(run.meter.isExhausted ? budgetCause(path, shown, declared.rule) : atRoot(cause));
  }
}

/** Types that are known at run time only may not fit. */
const describeFailure = (problem: string, rule: string): string =>
  problem.startsWith('no such overload')
    ? `'${problem}': call arguments did not match a supported operator, function or macro signature for rule: ${rule}`
    : `${problem} evaluating rule: ${rule}`;

const shownType = (schema: StructuralSchema): string => schema.type ?? '';

function variablesOf(
  { declared, isTransition, message }: CompiledRule,
  { type }: RuleTree,
  { value, old }: Values,
  converted: Converted,
): Record<string, unknown> {
  const self = type.convert(value, converted);
  if (!isTransition && message?.uses.has('oldSelf') !== true) return { self };
  if (old === undefined) return declared.optionalOldSelf === true ? { self, oldSelf: Optional.none() } : { self };
  const oldSelf = type.convert(old, converted);
  return { self, oldSelf: declared.optionalOldSelf === true ? Optional.of(oldSelf) : oldSelf };
}

const maxMessageBytes = 5 * 1024;

/** What the user reads: the rule's message expression, else its message, else the rule itself. */
function explain({ declared, message }: CompiledRule, variables: Record<string, unknown>): string {
  const fallback = declared.message?.trim() ?? `failed rule: ${declared.rule.trim()}`;
  if (message === undefined) return fallback;
  try {
    const text = String(message.evaluate(variables)).trim();
    return text === '' || text.includes('\n') || Buffer.byteLength(text) > maxMessageBytes ? fallback : text;
  } catch {
    return fallback;
  }
}

function brokenCause({ declared }: CompiledRule, path: (string | number)[], shown: string, detail: string): ErrorCause {
  const field = formatFieldPath(path);
  switch (declared.reason) {
    case 'FieldValueForbidden':
      return atRoot(fieldCause.forbidden(field, detail));
    case 'FieldValueRequired':
      return atRoot(fieldCause.required(field, detail));
    case 'FieldValueDuplicate': {
      const cause = fieldCause.duplicate(field, shown);
      return atRoot({ ...cause, message: `${cause.message}: ${detail}` });
    }
    case 'FieldValueInvalid':
    case undefined:
      return atRoot(fieldCause.invalid(field, shown, detail));
  }
}

function budgetCause(path: (string | number)[], shown: string, rule: string): ErrorCause {
  const detail = `validation failed due to running out of cost budget, no further validation rules will be run; last rule: ${rule.trim()}`;
  return atRoot(fieldCause.invalid(formatFieldPath(path), shown, detail));
}

/** The whole object is no field. */
function atRoot(cause: ErrorCause): ErrorCause {
  if (cause.field !== '') return cause;
  const { field: _, ...rest } = cause;
  return rest;
}
