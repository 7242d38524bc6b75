import { WorkflowError, type WorkflowErrorCode } from '../../errors.ts';

/** A message with the place in the source that it is about, drawn as expr does. */
export function messageAt(source: string, position: number, message: string): string {
  const before = source.slice(0, position).split('\n');
  const column = Array.from(before.at(-1) ?? '').length;
  const line = source.split('\n')[before.length - 1] ?? '';
  if (line === '') return message;
  const marker = `${'.'.repeat(column)}^`;
  return `${message} (${before.length}:${column + 1})\n | ${line.replaceAll('\t', ' ')}\n | ${marker}`;
}

/** The error for a place in the source. */
export function errorAt(code: WorkflowErrorCode, source: string, position: number, message: string): WorkflowError {
  return new WorkflowError(code, messageAt(source, position, message));
}

export const syntaxError = (source: string, position: number, message: string): WorkflowError =>
  errorAt('invalid-expression', source, position, message);
