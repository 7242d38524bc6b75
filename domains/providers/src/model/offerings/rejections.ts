import { badRequest, type ChandleryError, type ErrorCause, isError } from '@chandlery/api';

/** Translates the rejection of an object into one of parameters. Values are left out: they may be secret. */
export function rejectionOf(thrown: unknown): unknown {
  return isError(thrown, 'Invalid') ? badRequest(sentenceOf(thrown)) : thrown;
}

function sentenceOf({ details: { causes = [] } }: ChandleryError): string {
  const lines = causes.map(cause => `${fieldOf(cause)} ${withoutValue(cause)}`);
  return lines.length === 0 ? 'the parameters are not valid' : lines.join('; ');
}

const fieldOf = ({ field = 'spec' }: ErrorCause): string => field.replace(/^spec\b/, 'parameters');

const literal = String.raw`"(?:[^"\\]|\\.)*"|-?[\d.e+-]+|true|false|null`;
const withValue = new RegExp(String.raw`^(?:Invalid|Unsupported|Duplicate) value: (${literal})(?:: (.*))?$`, 's');

function withoutValue({ reason, message }: ErrorCause): string {
  if (reason === 'FieldValueRequired') return 'is missing';
  if (!/^(Invalid|Unsupported|Duplicate) value/.test(message)) return `is refused: ${message}`;
  const [, value = '', detail = ''] = withValue.exec(message) ?? [];
  const isText = value.startsWith('"');
  const rest = isText ? detail.replaceAll(value, '').replace(/[: ]+$/, '') : detail;
  return rest === '' ? 'has a value that is not allowed' : `is refused: ${rest}`;
}
