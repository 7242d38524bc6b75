import { isFields } from '../document/parse-workflow.ts';
import type { TemplateCall } from '../document/template.ts';
import { refuse } from './problem.ts';

/** Whether other tasks see lists of this one's outputs. */
export const isAggregate = ({ withItems = [], withParam = '' }: TemplateCall): boolean =>
  withItems.length > 0 || withParam !== '';

export const isLoop = (call: TemplateCall): boolean => isAggregate(call) || call.withSequence !== undefined;

/** Refuses contradictory loops, and adds what `item` offers to the scope. */
export function addItems({ withItems = [], withParam = '', withSequence }: TemplateCall, scope: Set<string>): void {
  const sources = [withItems.length > 0, withParam !== '', withSequence !== undefined].filter(Boolean);
  if (sources.length > 1) refuse('only one of withItems, withParam, withSequence can be specified');
  for (const item of withItems) addItem(item, scope);
  if (withParam !== '') scope.add('item').add('item.*');
  if (withSequence === undefined) return;
  if (withSequence.count !== undefined && withSequence.end !== undefined) {
    refuse('only one of count or end can be defined in withSequence');
  }
  scope.add('item');
}

function addItem(item: unknown, scope: Set<string>): void {
  if (Array.isArray(item)) for (const index of item.keys()) scope.add(`item.[${index}]`);
  else if (isFields(item)) for (const key of Object.keys(item)) scope.add(`item.${key}`);
  else scope.add('item');
}
