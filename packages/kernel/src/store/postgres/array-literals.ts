/** An array of numbers as PostgreSQL reads it from text. */
export const numbersLiteral = (numbers: readonly number[]): string => `{${numbers.join(',')}}`;

/** An array of texts, without repetition. */
export const textsLiteral = (texts: readonly string[] = []): string =>
  texts.length === 0 ? '{}' : `{${[...new Set(texts)].map(quote).join(',')}}`;

const quote = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`;
