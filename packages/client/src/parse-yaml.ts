import { ChandleryError } from '@chandlery/api';
import { parseAllDocuments } from 'yaml';

/** The documents of a YAML text, empty ones left out. Throws `YamlInvalid`, which names the place. */
export function parseYamlDocuments(text: string, place: string): readonly unknown[] {
  return parseAllDocuments(text).flatMap(document => {
    const [error] = document.errors;
    if (error !== undefined) throw new ChandleryError('YamlInvalid', `cannot read ${place}: ${error.message}`);
    const value: unknown = document.toJS();
    return value === null ? [] : [value];
  });
}
