/** Stands for a value that is known at run time only. */
const prefix = '__argo__internal__placeholder-';

export const placeholderPattern = new RegExp(`${prefix}\\d+`);

/** Makes placeholders that differ from one another. */
export function createPlaceholders(): () => string {
  let count = 0;
  return () => `${prefix}${count++}`;
}

/** The text with a short word in place of each placeholder, so that the rest of a name can be checked. */
export const withoutPlaceholders = (text: string): string => text.replaceAll(new RegExp(placeholderPattern, 'g'), 'x');
