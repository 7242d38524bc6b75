/** A command line of its words, as a shell reads it. */
export const commandText = (...words: readonly string[]): string => words.map(quoted).join(' ');

const quoted = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`);
