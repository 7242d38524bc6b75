import { ChandleryError, parseJson } from '@chandlery/api';
import { parseAllDocuments } from 'yaml';

/** The documents of a YAML text, empty ones left out. Throws `YamlInvalid`, which names the place. */
export function parseYamlDocuments(text: string, place: string): readonly unknown[] {
  return parseAllDocuments(text, { intAsBigInt: true }).flatMap(document => {
    const [error] = document.errors;
    if (error !== undefined)
      throw new ChandleryError('YamlInvalid', `cannot read ${place}: ${firstLine(error.message)}`);
    // Integers are exact in the text, and only there.
    const value = parseJson(JSON.stringify(document.toJS()) ?? 'null');
    return value === null ? [] : [value];
  });
}

/** What is wrong and where; the lines after it show the place, for a terminal as wide as the text. */
const firstLine = (message: string): string => (message.split('\n', 1)[0] ?? '').replace(/:$/, '');
