import { badRequest, isError, type JsonValue, parseJson } from '@chandlery/api';
import { maxJsonDepth, scanJson } from '@chandlery/kernel';
import { type Document, isScalar, Lexer, parseDocument, visit } from 'yaml';

/** More than the largest honest manifest has: a line has about eight, a long text is one. Reading so many takes less than a second. */
const maxTokens = 250_000;
/** Each alias is looked up in the whole text and may repeat most of it. */
const maxAliasBytes = 8 * 1024 * 1024;
const maxAliases = 100;

/**
 * Decodes YAML into what JSON can say. Throws `BadRequest` for anything else, also for texts that would cost more than
 * their size is worth: nesting and aliases make small texts expensive, and everybody waits while one is read.
 */
export function decodeYaml(text: string): JsonValue {
  checkCost(text);
  try {
    // Keys are compared with each other by the library, but by `findDuplicate` in one pass.
    const document = parseDocument(text, { uniqueKeys: false, prettyErrors: false, version: '1.2', intAsBigInt: true });
    const [problem] = document.errors;
    if (problem !== undefined) throw problem;
    const duplicate = findDuplicate(document);
    if (duplicate !== undefined) throw badRequest(`the body is not valid YAML: the key "${duplicate}" is given twice`);
    rejectInfinities(document);
    return throughJson(document);
  } catch (error) {
    if (isError(error)) throw error;
    throw badRequest(`the body is not valid YAML: ${(error as Error).message}`);
  }
}

/** Through JSON, so that what a YAML document can say beyond it never reaches the kernel. */
function throughJson(document: Document.Parsed): JsonValue {
  const json = JSON.stringify(document.toJS({ maxAliasCount: maxAliases })) ?? 'null';
  scanJson(Buffer.from(json));
  return parseJson(json) as JsonValue;
}

function checkCost(text: string): void {
  let [tokens, depth, aliases] = [0, 0, 0];
  for (const token of new Lexer().lex(text)) {
    if (++tokens > maxTokens) throw badRequest(`the YAML has more than ${maxTokens} parts; send it as JSON`);
    if (token === '[' || token === '{') depth++;
    else if (token === ']' || token === '}') depth--;
    else if (token.startsWith('*')) aliases++;
    if (depth > maxJsonDepth) throw badRequest(`the YAML is nested deeper than ${maxJsonDepth} levels`);
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
