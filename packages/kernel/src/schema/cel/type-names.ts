import type { CelType, Checker } from './library.ts';

/**
 * The library keeps every type name that it has ever seen, and tenants choose how lists and maps are nested. What is
 * nested deeper is checked when the rule runs.
 */
const maxNesting = 3;

const nestingOf = (name: string): number => name.split('<').length - 1;

const bounded = (name: string): string => (nestingOf(name) < maxNesting ? name : 'dyn');

export const listName = (item: string): string => `list<${bounded(item)}>`;

export const mapName = (key: string, value: string): string => `map<${bounded(key)}, ${bounded(value)}>`;

export const optionalName = (value: string): string => `optional<${bounded(value)}>`;

export const listTypeOf = (checker: Checker, item: CelType): CelType => checker.getType(listName(item.name));

export const mapTypeOf = (checker: Checker, key: CelType, value: CelType): CelType =>
  checker.getType(mapName(key.name, value.name));
