import { accessNamespace } from './access-names.ts';

/** Three parts in base64url: a JSON Web Token, wherever it stands in a text. */
const jwt = /\beyJ[\w-]+\.[\w-]+\.[\w-]+/g;

/** The text with the newest token in place of every token of a request's service account. */
export const withNewToken = (text: string, account: string, token: string): string =>
  text.replaceAll(jwt, found => (isOfAccount(found, account) ? token : found));

/** Whether a token speaks for the service account of a request. */
function isOfAccount(token: string, account: string): boolean {
  try {
    const payload = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { sub?: unknown };
    return payload.sub === `system:serviceaccount:${accessNamespace}:${account}`;
  } catch {
    return false;
  }
}
