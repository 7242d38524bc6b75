import { badRequest } from '@chandlery/api';
import { type IncludeObject, parseIncludeObject } from './table/table.ts';

/** How much of each object the rows of a table carry. Throws for unknown values. */
export function includeObjectOf(query: URLSearchParams): IncludeObject {
  const include = parseIncludeObject(query.get('includeObject'));
  if (include === undefined)
    throw badRequest(`includeObject "${query.get('includeObject')}" is not known; use None, Metadata or Object`);
  return include;
}

/** Whether JSON is to be indented. */
export const isPretty = (query: URLSearchParams): boolean => ['true', '1'].includes(query.get('pretty') ?? '');
