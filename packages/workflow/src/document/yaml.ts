import { parseDocument, type Tags, type YAMLParseError } from 'yaml';

/**
 * Reads YAML as the Go libraries of Kubernetes and Argo do: version 1.1, so that `yes` is true and 0755 is octal; of fields
 * that are given twice the last counts; and within brackets and quotes indentation does not matter. Throws the first
 * problem.
 */
export function parseYaml(source: string): unknown {
  let text = source;
  for (let attempt = 0; ; attempt++) {
    const document = parseDocument(text, options);
    const problem = document.errors.find(error => !isIgnoredByGo(error, text));
    if (problem === undefined) return document.toJS({ maxAliasCount: 100 });
    const indented = attempt < maxAttempts ? indentAfter(text, problem) : undefined;
    if (indented === undefined) throw problem;
    text = indented;
  }
}

/** Places in one document that are indented less than the parser demands. */
const maxAttempts = 200;

const options = {
  version: '1.1',
  schema: 'yaml-1.1',
  customTags: (tags: Tags): Tags => tags.flatMap(goTag),
  uniqueKeys: false,
} as const;

/** Go reads no times, no numbers with colons, and the letters y and n as text. */
function goTag(tag: Tags[number]): Tags {
  if (typeof tag === 'string' || tag.collection !== undefined) return [tag];
  if (tag.tag === 'tag:yaml.org,2002:timestamp' || tag.format === 'TIME') return [];
  if (tag.tag !== 'tag:yaml.org,2002:bool') return [tag];
  const isTrue = tag.test?.test('true') === true;
  return [
    {
      ...tag,
      test: isTrue ? /^(?:yes|Yes|YES|true|True|TRUE|on|On|ON)$/ : /^(?:no|No|NO|false|False|FALSE|off|Off|OFF)$/,
    },
  ];
}

/** Brackets that close at the indentation of their field. */
const isIgnoredByGo = ({ code, message, pos }: YAMLParseError, text: string): boolean =>
  code === 'BAD_INDENT' && message.startsWith('Flow ') && /^[\]}]/.test(text.slice(pos[0]));

/** Deeper than any list that a quoted text can be in. */
const deepIndent = ' '.repeat(80);

/**
 * The text with the line after a quoted one indented, when the parser took the quoted text for ended there. Blanks at the
 * beginning of such a line do not belong to the value.
 */
function indentAfter(text: string, { code, message, linePos }: YAMLParseError): string | undefined {
  const line = linePos?.[0].line;
  if (code !== 'MISSING_CHAR' || !message.startsWith('Missing closing') || line === undefined) return undefined;
  const lines = text.split('\n');
  const next = lines[line];
  if (next === undefined || next.startsWith(deepIndent)) return undefined;
  lines[line] = deepIndent + next;
  return lines.join('\n');
}
