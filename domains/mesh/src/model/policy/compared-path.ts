/** The path that policies are compared with, or why proxies reject the request before evaluating policies. */
export type ComparedPath = { readonly path: string } | { readonly rejection: string };

/** Workloads may decode these as a slash, and so serve another path than the allowed one. */
const escapedSlash = /%(?:2f|5c)/i;
const nulByte = /%00/;
/** `..;x`, which some servers interpret as `..`. */
const parameterOfParent = /\/\.\.;[^/\\]*/g;
const escapedUnreserved = /%(?:4[1-9a-f]|5[0-9a]|6[1-9a-f]|7[0-9a]|3[0-9]|2d|2e|5f|7e)/gi;

/**
 * Normalizes the path of a request as Envoy does by the configuration of `http-connections.ts`: resolves dot segments
 * (including `..;x`), unescapes unreserved characters, reads backslashes as slashes, merges repeated slashes, and drops
 * the query.
 */
export function comparedPath(requested: string): ComparedPath {
  const [path = ''] = requested.split('?', 1);
  if (!path.startsWith('/')) return { rejection: `the path "${path}" does not begin with a slash` };
  if (escapedSlash.test(path))
    return {
      rejection:
        'the path has an escaped slash or backslash (%2f, %5c), which the workload may read as another path: proxies reject it with 400',
    };
  if (path.includes('#') || nulByte.test(path))
    return { rejection: 'the path has a fragment or an escaped zero byte: proxies reject it with 400' };
  const unescaped = path.replaceAll(escapedUnreserved, code => String.fromCharCode(Number.parseInt(code.slice(1), 16)));
  const { pathname } = new URL(`http://path${unescaped.replaceAll(parameterOfParent, '/..')}`);
  return { path: pathname.replaceAll(/\/{2,}/g, '/') };
}

/** RE2 of all raw paths that {@link comparedPath} would reject or change in their segments. */
export const unusualPathRegex = String.raw`(?:.*(?:%2[fF]|%5[cC]|%2[eE]|%00|\\|//|/\.\.?/|/\.\.;).*|.*/\.\.?)`;
