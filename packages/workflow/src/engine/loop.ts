import { type JsonValue, parseJson } from '@chandlery/api';
import { goJson } from '../document/go-json.ts';
import type { Sequence, TemplateCall } from '../document/template.ts';
import { messageOf, WorkflowError } from '../errors.ts';
import { jsonProblem } from '../expressions/functions/json-problem.ts';
import { evaluateWhen } from '../expressions/index.ts';
import { plainText } from '../template/inert.ts';
import { layerScopes, mapScope, type Scope, type ScopeValue } from '../template/scope.ts';
import { substitute } from '../template/substitute.ts';
import { formatSequenceNumber } from './sequence-format.ts';

/** Whether a step or task is executed once for each of several items. */
export const isLoop = (call: TemplateCall): boolean =>
  (call.withItems?.length ?? 0) > 0 || (call.withParam ?? '') !== '' || call.withSequence !== undefined;

/** The executions of a step or task: itself, or one for each item. */
export function expandLoop<T extends TemplateCall>(call: T, scope: Scope): T[] {
  if (!isLoop(call)) return [call];
  const items = itemsOf(call);
  const { withItems: _items, withParam: _param, withSequence: _sequence, hooks, ...body } = call;
  return items.map((item, index) => expandItem(body as T, hooks, item, index, scope));
}

function itemsOf(call: TemplateCall): readonly JsonValue[] {
  try {
    if ((call.withItems?.length ?? 0) > 0) return call.withItems ?? [];
    if ((call.withParam ?? '') !== '') return parseList(plainText(call.withParam ?? ''));
    return call.withSequence === undefined ? [] : sequenceOf(call.withSequence);
  } catch (error) {
    // A step that is not executed needs no items.
    if (isExecuted(call.when)) throw error;
    return [];
  }
}

function isExecuted(when: string | undefined): boolean {
  try {
    return evaluateWhen(plainText(when ?? ''));
  } catch {
    return true;
  }
}

function parseList(text: string): readonly JsonValue[] {
  const complain = (cause: string): WorkflowError =>
    new WorkflowError(
      'invalid-document',
      `withParam value could not be parsed as a JSON list: ${text.trim()}: ${cause}`,
    );
  let value: unknown;
  try {
    value = parseItem(text);
  } catch (error) {
    throw complain(messageOf(error));
  }
  if (value === null) return [];
  if (Array.isArray(value)) return value as JsonValue[];
  throw complain(`json: cannot unmarshal ${typeof value} into Go value of type []v1alpha1.Item`);
}

/** Parses JSON; the error says what Go says. */
export function parseItem(text: string): JsonValue {
  try {
    return parseJson(text) as JsonValue;
  } catch (error) {
    throw new WorkflowError('expression-failed', jsonProblem(text), { cause: error });
  }
}

function sequenceOf({ start = 0, end, count, format = '' }: Sequence): string[] {
  const first = integerOf(start);
  if (end === undefined && count === undefined) {
    throw new WorkflowError('invalid-document', 'neither end nor count was specified in withSequence');
  }
  if (end === undefined && integerOf(count ?? 0) === 0) return [];
  const last = end === undefined ? first + integerOf(count ?? 0) - 1 : integerOf(end);
  const step = first <= last ? 1 : -1;
  const length = Math.abs(last - first) + 1;
  return Array.from({ length }, (_, index) => formatSequenceNumber(format, first + index * step));
}

function integerOf(value: number | string): number {
  const text = plainText(String(value));
  if (/^[+-]?\d+$/.test(text)) return Number(text);
  throw new WorkflowError('invalid-document', `strconv.Atoi: parsing "${text}": invalid syntax`);
}

function expandItem<T extends TemplateCall>(
  body: T,
  hooks: TemplateCall['hooks'],
  item: JsonValue,
  index: number,
  scope: Scope,
): T {
  const { values, description } = describeItem(item);
  const itemScope = layerScopes(mapScope(values), scope);
  const isSkipped = body.when !== undefined && !isExecuted(body.when);
  const expanded = isSkipped ? substitute(body, lenient(itemScope)) : substitute(body, itemScope, 'all');
  const name = `${body.name}(${index}:${description.replace(/[()]/g, '')})`;
  const withHooks = hooks === undefined ? {} : { hooks: substitute(hooks, mapScope(values)) };
  const { template } = body;
  return { ...expanded, ...withHooks, name, ...(template === undefined ? {} : { template }) };
}

/** Values that are absent leave their tags as they are. */
const lenient = (scope: Scope): Scope => ({ ...scope, get: key => scope.get(key) ?? undefined });

interface DescribedItem {
  readonly values: Map<string, ScopeValue>;
  /** What the name of the node says about the item. */
  readonly description: string;
}

function describeItem(item: JsonValue): DescribedItem {
  if (Array.isArray(item) || item === null) {
    const list = item ?? [];
    return { values: new Map([['item', goJson(list)]]), description: `[${list.map(itemText).join(' ')}]` };
  }
  if (typeof item !== 'object') return { values: new Map([['item', itemText(item)]]), description: itemText(item) };
  const entries = Object.entries(item).map(([key, value]) => [key, itemText(value ?? null)] as const);
  const values = new Map<string, ScopeValue>([['item', goJson(item)]]);
  for (const [key, text] of entries) values.set(`item.${key}`, text);
  const pairs = entries.map(([key, text]) => `${key}:${text}`).sort();
  return { values, description: pairs.join(',') };
}

const itemText = (value: JsonValue): string => (typeof value === 'string' ? value : goJson(value));
