/** Which grammar an object's name follows; see {@link KindDeclaration.nameRule}. */
export type NameRule = 'dns-subdomain' | 'dns-label' | 'dns-1035-label' | 'path-segment';

const dnsLabelPattern = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const dnsSubdomainPattern = `${dnsLabelPattern}(\\.${dnsLabelPattern})*`;
const dns1035LabelPattern = '[a-z]([-a-z0-9]*[a-z0-9])?';
const qualifiedNamePattern = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const labelValuePattern = `(${qualifiedNamePattern})?`;

interface Grammar {
  readonly maxBytes: number;
  readonly regExp: RegExp;
  readonly explanation: string;
}

/** The sentence that Kubernetes' clients know: the rule, examples, the pattern. */
function explain(rule: string, pattern: string, ...examples: readonly string[]): string {
  const shown = examples.map(example => `'${example}', `).join(' or ');
  return `${rule} (e.g. ${shown}regex used for validation is '${pattern}')`;
}

const grammar = (maxBytes: number, pattern: string, rule: string, ...examples: readonly string[]): Grammar => ({
  maxBytes,
  regExp: new RegExp(`^(?:${pattern})$`),
  explanation: explain(rule, pattern, ...examples),
});

const dnsLabel = grammar(
  63,
  dnsLabelPattern,
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
  'my-name',
  '123-abc',
);
const dnsSubdomain = grammar(
  253,
  dnsSubdomainPattern,
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
  'example.com',
);
const dns1035Label = grammar(
  63,
  dns1035LabelPattern,
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
  'my-name',
  'abc-123',
);
const qualifiedNameRule =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
const qualifiedNameExamples = ['MyName', 'my.name', '123-abc'] as const;
const namePart = grammar(63, qualifiedNamePattern, qualifiedNameRule, ...qualifiedNameExamples);
const labelValue = grammar(
  63,
  labelValuePattern,
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  'MyValue',
  'my_value',
  '12345',
);

/** The length is looked at first, so that no pattern ever runs over a long text. */
function checkGrammar(text: string, { maxBytes, regExp, explanation }: Grammar): string[] {
  if (text.length > maxBytes) return [`must be no more than ${maxBytes} bytes`];
  return regExp.test(text) ? [] : [explanation];
}

/** Errors of a DNS label (RFC 1123); none when it is one. So do the other `validate…` functions here. */
export const validateDnsLabel = (text: string): string[] => checkGrammar(text, dnsLabel);

export const validateDnsSubdomain = (text: string): string[] => checkGrammar(text, dnsSubdomain);

export const validateDns1035Label = (text: string): string[] => checkGrammar(text, dns1035Label);

export const validateLabelValue = (text: string): string[] => checkGrammar(text, labelValue);

/** A label key, annotation key or finalizer: `name` or `dns.prefix/name`. */
export function validateQualifiedName(text: string): string[] {
  // Most have no prefix and are valid: these need neither lists nor copies.
  if (text.length <= namePart.maxBytes && namePart.regExp.test(text)) return [];
  const parts = text.split('/');
  if (parts.length > 2) {
    const rule = explain(`a qualified name ${qualifiedNameRule}`, qualifiedNamePattern, ...qualifiedNameExamples);
    return [`${rule} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`];
  }
  const name = parts.at(-1) ?? '';
  const prefixErrors = parts.length === 2 ? validatePrefix(parts[0] ?? '') : [];
  const nameErrors = name === '' ? ['must be non-empty'] : [];
  return [...prefixErrors, ...[...nameErrors, ...checkGrammar(name, namePart)].map(error => `name part ${error}`)];
}

function validatePrefix(prefix: string): string[] {
  const errors = prefix === '' ? ['must be non-empty'] : validateDnsSubdomain(prefix);
  return errors.map(error => `prefix part ${error}`);
}

/** Anything that can stand as one segment in a URL path. A prefix may still grow, so `.` and `..` are fine there. */
export function validatePathSegment(text: string, isPrefix = false): string[] {
  if (!isPrefix && (text === '.' || text === '..')) return [`may not be '${text}'`];
  return ['/', '%'].filter(character => text.includes(character)).map(character => `may not contain '${character}'`);
}

const nameGrammars = { 'dns-subdomain': dnsSubdomain, 'dns-label': dnsLabel, 'dns-1035-label': dns1035Label } as const;

/** Errors of an object name under its kind's rule. A prefix is judged as if the generated end had been appended. */
export function validateName(name: string, rule: NameRule, isPrefix = false): string[] {
  if (rule === 'path-segment') return validatePathSegment(name, isPrefix);
  const complete = isPrefix && name.length > 1 && name.endsWith('-') ? `${name.slice(0, -2)}a` : name;
  return checkGrammar(complete, nameGrammars[rule]);
}
