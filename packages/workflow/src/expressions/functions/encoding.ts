import { fail } from '../values/failure.ts';

const base64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** The content of a base64 text, as text. Throws a Failure as Go words it. */
export function decodeBase64(text: string): string {
  const clean = text.replaceAll(/[\r\n]/g, '');
  if (base64.test(clean) && clean.length % 4 === 0) return Buffer.from(clean, 'base64').toString();
  const position = /[^A-Za-z0-9+/]/.exec(clean)?.index ?? clean.length - (clean.length % 4);
  return fail(`illegal base64 data at input byte ${position}`);
}

export const encodeBase64 = (text: string): string => Buffer.from(text).toString('base64');
