import { refuse } from './problem.ts';

/** Only tags that start so are checked: other template languages may use braces too. */
const checkedPrefixes = ['item.', 'steps.', 'inputs.', 'outputs.', 'pod.', 'workflow.', 'tasks.'];

/** Values that exist at run time, whatever follows them. */
const runtimePrefixes = [
  'outputs.',
  'workflow.creationTimestamp',
  'workflow.scheduledTime',
  'workflow.duration',
  'tasks.name',
  'steps.name',
  'node.name',
];

/** Keys that stand for everything below them, when names are known at run time only. */
export const wildcards = ['item.*', 'workflow.outputs.parameters.*', 'workflow.outputs.artifacts.*'] as const;

export interface TagOptions {
  readonly scope: ReadonlySet<string>;
  /** A stored template may be called with parameters that are not known yet. */
  readonly isStoredTemplate: boolean;
}

/** Refuses tags in the texts of a value that refer to nothing in scope. Expressions are not checked. */
export function checkTags(value: unknown, options: TagOptions): void {
  if (typeof value === 'string') checkText(value, options);
  else if (typeof value === 'object' && value !== null)
    for (const part of Object.values(value)) checkTags(part, options);
}

function checkText(text: string, options: TagOptions): void {
  for (const [, tag = ''] of text.matchAll(/\{\{((?:(?!\}\})[^])*)\}\}/g)) {
    if (!tag.startsWith('=') && !isResolvable(tag.trim(), options)) refuse(`failed to resolve {{${tag}}}`);
  }
}

function isResolvable(tag: string, { scope, isStoredTemplate }: TagOptions): boolean {
  if (!checkedPrefixes.some(prefix => tag.startsWith(prefix)) || scope.has(tag)) return true;
  if (wildcards.some(wildcard => scope.has(wildcard) && tag.startsWith(wildcard.slice(0, -1)))) return true;
  if (isStoredTemplate && tag.startsWith('workflow.parameters')) return true;
  return runtimePrefixes.some(prefix => tag.startsWith(prefix));
}
