import { isJsonObject } from '../../model/bodies/body-fields.ts';

const maxTextLength = 500;

/** Returns what a process answered in place of a result, as a sentence. */
export function describeResponse(status: number, content: Uint8Array): string {
  const text = Buffer.from(content.subarray(0, 64 * 1024))
    .toString('utf8')
    .trim();
  const message = messageOf(text).slice(0, maxTextLength);
  return `The service answered ${status}${message === '' ? '' : `: ${message}`}`;
}

function messageOf(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    const { message, error, detail } = isJsonObject(value) ? value : {};
    const found = [message, error, detail].find(field => typeof field === 'string' && field !== '');
    return typeof found === 'string' ? found : text;
  } catch {
    return text;
  }
}
