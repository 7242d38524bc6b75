/** A field of a status that is a text; empty when it is absent or something else. */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
