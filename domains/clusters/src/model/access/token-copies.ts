import { accessNamespace } from './access-names.ts';

/** Three parts in base64url: a JSON Web Token, wherever it stands in a text. */
const jwt = /\beyJ[\w-]+\.[\w-]+\.[\w-]+/g;

/** Replaces every token of a request's service account in a text by the newest one. */
export const withNewToken = (text: string, account: string, token: string): string =>
  text.replaceAll(jwt, found => (isOfAccount(found, account) ? token : found));

/** Whether a token belongs to the service account of a request. */
function isOfAccount(token: string, account: string): boolean {
  try {
    const payload = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { sub?: unknown };
    return payload.sub === `system:serviceaccount:${accessNamespace}:${account}`;
  } catch {
    return false;
  }
}
