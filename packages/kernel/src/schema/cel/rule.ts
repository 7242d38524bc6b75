import { type ErrorCause, fieldCause, isRecord, type StructuralSchema } from '@chandlery/api';
import { resolveFieldPath } from './rule-path.ts';

/** One of `x-kubernetes-validations`. */
export interface Rule {
  readonly rule: string;
  readonly message?: string;
  readonly messageExpression?: string;
  readonly reason?: RuleReason;
  /** Where the cause points, from where the rule stands. */
  readonly fieldPath?: string;
  readonly optionalOldSelf?: boolean;
}

const ruleReasons = ['FieldValueInvalid', 'FieldValueForbidden', 'FieldValueRequired', 'FieldValueDuplicate'] as const;

export type RuleReason = (typeof ruleReasons)[number];

/** The rules of a schema. Only those of a schema that {@link checkRuleShape} has accepted can be relied on. */
export const rulesOf = (schema: StructuralSchema): readonly Rule[] =>
  (schema['x-kubernetes-validations'] ?? []) as unknown as readonly Rule[];

const textFields = ['rule', 'message', 'messageExpression', 'reason', 'fieldPath'] as const;

/** Whether what was given is a rule, apart from its expressions. */
export function checkRuleShape(given: unknown, schema: StructuralSchema, path: string): ErrorCause[] {
  if (!isRecord(given)) return [fieldCause.typeInvalid(path, given, 'must be of type object')];
  const wrongTexts = textFields.filter(field => given[field] !== undefined && typeof given[field] !== 'string');
  const causes = wrongTexts.map(field =>
    fieldCause.typeInvalid(`${path}.${field}`, given[field], 'must be of type string'),
  );
  if (given['optionalOldSelf'] !== undefined && typeof given['optionalOldSelf'] !== 'boolean') {
    causes.push(fieldCause.typeInvalid(`${path}.optionalOldSelf`, given['optionalOldSelf'], 'must be of type boolean'));
  }
  return causes.length > 0 ? causes : checkFields(given as unknown as Rule, schema, path);
}

function checkFields(rule: Rule, schema: StructuralSchema, path: string): ErrorCause[] {
  const { reason, fieldPath } = rule;
  const causes = checkTexts(rule, path);
  if (reason !== undefined && !ruleReasons.includes(reason)) {
    causes.push(fieldCause.notSupported(`${path}.reason`, reason, ruleReasons));
  }
  if (fieldPath !== undefined && resolveFieldPath(fieldPath, schema) === undefined) {
    const hint = 'fieldPath must be a valid path, such as .spec.name, to a field of the schema';
    causes.push(fieldCause.invalid(`${path}.fieldPath`, fieldPath, hint));
  }
  return causes;
}

function checkTexts({ rule, message, messageExpression }: Rule, path: string): ErrorCause[] {
  const isBlank = (text: string): boolean => text.trim() === '';
  const causes: ErrorCause[] = [];
  if (rule === undefined || isBlank(rule)) causes.push(fieldCause.required(`${path}.rule`, 'rule is not specified'));
  if (message !== undefined && isBlank(message)) {
    causes.push(fieldCause.invalid(`${path}.message`, message, 'message must be non-empty if specified'));
  }
  if (message?.trim().includes('\n') === true) {
    causes.push(fieldCause.invalid(`${path}.message`, message, 'message must not contain line breaks'));
  }
  if (messageExpression !== undefined && isBlank(messageExpression)) {
    const hint = 'messageExpression must be non-empty if specified';
    causes.push(fieldCause.required(`${path}.messageExpression`, hint));
  }
  if (rule?.trim().includes('\n') === true && message === undefined && messageExpression === undefined) {
    causes.push(fieldCause.required(`${path}.message`, 'message must be specified if rule contains line breaks'));
  }
  return causes;
}
