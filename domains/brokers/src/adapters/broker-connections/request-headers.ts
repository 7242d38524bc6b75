import { isPassedOn } from '../../model/osb/passed-headers.ts';

/** Names and values in turn, as undici takes them without copying, with the broker's credentials. */
export function requestHeaders(given: Readonly<Record<string, string>>, authorization: string | undefined): string[] {
  const headers: string[] = [];
  for (const name in given) {
    const value = given[name];
    if (value !== undefined && isPassedOn(name)) headers.push(name, value);
  }
  if (authorization !== undefined) headers.push('authorization', authorization);
  return headers;
}
