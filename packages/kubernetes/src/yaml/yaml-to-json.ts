// A worker thread loads this: of the other packages it needs only the errors.

import { type Document, isScalar, Lexer, parseDocument, visit } from 'yaml';
import { ChandleryError } from '../../../api/src/errors.ts';

/** More than the largest honest manifest has: a line has about eight, a long text is one. Reading so many takes less than a second. */
const maxTokens = 250_000;
/** Each alias is looked up in the whole text and may repeat most of it. */
const maxAliasBytes = 8 * 1024 * 1024;
const maxAliases = 100;

/** As many levels as JSON may have here. */
const maxDepth = 500;

const badRequest = (message: string): ChandleryError => new ChandleryError('BadRequest', message);

/**
 * Converts YAML into the JSON text that says the same. Throws `BadRequest` for what JSON cannot say, also for texts that
 * would cost more than their size is worth: nesting and aliases make small texts expensive.
 */
export function yamlToJson(text: string): string {
  checkCost(text);
  try {
    // Keys are compared with each other by the library, but by `findDuplicate` in one pass.
    const document = parseDocument(text, { uniqueKeys: false, prettyErrors: false, version: '1.2', intAsBigInt: true });
    const [problem] = document.errors;
    if (problem !== undefined) throw problem;
    const duplicate = findDuplicate(document);
    if (duplicate !== undefined) throw badRequest(`the body is not valid YAML: the key "${duplicate}" is given twice`);
    rejectInfinities(document);
    return JSON.stringify(document.toJS({ maxAliasCount: maxAliases }), writeBigInt) ?? 'null';
  } catch (error) {
    if (error instanceof ChandleryError) throw error;
    throw badRequest(`the body is not valid YAML: ${(error as Error).message}`);
  }
}

/** `JSON.rawJSON`, which TypeScript does not declare yet. */
const { rawJSON } = JSON as unknown as { readonly rawJSON: (text: string) => unknown };

/** Integers are bigints here, so that none loses a digit. */
const writeBigInt = (_key: string, value: unknown): unknown =>
  typeof value === 'bigint' ? rawJSON(value.toString()) : value;

function checkCost(text: string): void {
  let [tokens, depth, aliases] = [0, 0, 0];
  for (const token of new Lexer().lex(text)) {
    if (++tokens > maxTokens) throw badRequest(`the YAML has more than ${maxTokens} parts; send it as JSON`);
    if (token === '[' || token === '{') depth++;
    else if (token === ']' || token === '}') depth--;
    else if (token.startsWith('*')) aliases++;
    if (depth > maxDepth) throw badRequest(`the YAML is nested deeper than ${maxDepth} levels`);
  }
  if (aliases * text.length > maxAliasBytes) throw badRequest('the YAML has too many aliases for its size');
}

/** JSON has no word for them. */
function rejectInfinities(document: Document.Parsed): void {
  visit(document, {
    Scalar(_, { value, source }) {
      if (typeof value !== 'number' || Number.isFinite(value)) return;
      throw badRequest(
        `the body is not valid: the number ${(source ?? String(value)).slice(0, 40)} cannot be represented in JSON`,
      );
    },
  });
}

function findDuplicate(document: Document.Parsed): string | undefined {
  let duplicate: string | undefined;
  visit(document, {
    Map(_, { items }) {
      const names = new Set<string>();
      for (const { key } of items) {
        if (!isScalar(key)) continue;
        const name = String(key.value);
        if (names.has(name)) {
          duplicate = name;
          return visit.BREAK;
        }
        names.add(name);
      }
      return undefined;
    },
  });
  return duplicate;
}
