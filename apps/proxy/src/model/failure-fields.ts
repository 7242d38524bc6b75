import { toError } from '@chandlery/api';

/** What is logged of a failure: its code, the sentence, and what to do about it where that is known. */
export function failureFields(thrown: unknown): Readonly<Record<string, string>> {
  const { code, message, hint } = toError(thrown);
  return { code, why: message, ...(hint === undefined ? {} : { hint }) };
}
