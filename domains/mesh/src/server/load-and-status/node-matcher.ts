import { ChandleryError } from '@chandlery/api';

/** protobufjs' plain form of a `StringMatcher`. */
export interface PlainTextMatcher {
  readonly exact?: string;
  readonly prefix?: string;
  readonly suffix?: string;
  readonly contains?: string;
  readonly ignore_case?: boolean;
}

/** protobufjs' plain form of a `NodeMatcher`. */
export interface PlainNodeMatcher {
  readonly node_id?: PlainTextMatcher;
  readonly node_metadatas?: readonly unknown[];
}

/**
 * Compiles matchers of node ids; without matchers every id matches. Throws `InvalidRequest` for unsupported matchers:
 * ignoring them would disclose more than the request asks for.
 */
export function compileNodeMatchers(matchers: readonly PlainNodeMatcher[]): (nodeId: string) => boolean {
  const tests = matchers.map(compileOne);
  return nodeId => tests.length === 0 || tests.some(test => test(nodeId));
}

function compileOne({ node_id: matcher, node_metadatas: metadatas = [] }: PlainNodeMatcher): (id: string) => boolean {
  if (metadatas.length > 0) throw unknownMatcher('node_metadatas');
  if (!matcher) return () => true;
  const { exact, prefix, suffix, contains, ignore_case: isLax = false } = matcher;
  const fold = (text: string): string => (isLax ? text.toLowerCase() : text);
  if (exact !== undefined) return id => fold(id) === fold(exact);
  if (prefix !== undefined) return id => fold(id).startsWith(fold(prefix));
  if (suffix !== undefined) return id => fold(id).endsWith(fold(suffix));
  if (contains !== undefined) return id => fold(id).includes(fold(contains));
  throw unknownMatcher('node_id');
}

const unknownMatcher = (field: string): ChandleryError =>
  new ChandleryError('InvalidRequest', `cannot match nodes by this form of ${field}`, {
    hint: 'Use node_id with exact, prefix, suffix or contains',
  });
