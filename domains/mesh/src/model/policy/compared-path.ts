/** The path that policies are compared with, or why a request is rejected before any policy is asked. */
export type ComparedPath = { readonly path: string } | { readonly rejection: string };

/** Workloads may read these as a slash and so find another path than the one that was allowed. */
const escapedSlash = /%(?:2f|5c)/i;
const nulByte = /%00/;
/** `..;x`, which some servers read as `..`. */
const parameterOfParent = /\/\.\.;[^/\\]*/g;
const escapedUnreserved = /%(?:4[1-9a-f]|5[0-9a]|6[1-9a-f]|7[0-9a]|3[0-9]|2d|2e|5f|7e)/gi;

/**
 * Brings the path of a request into the form in which Envoy compares it, as `http-connections.ts` configures it: dot
 * segments (`..;x` among them) are resolved, unreserved characters unescaped, backslashes read as slashes, repeated slashes merged, and the
 * query is left out.
 */
export function comparedPath(asked: string): ComparedPath {
  const [path = ''] = asked.split('?', 1);
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

/** RE2 of all paths, as they are sent, that {@link comparedPath} would reject or change in their segments. */
export const unusualPathRegex = String.raw`(?:.*(?:%2[fF]|%5[cC]|%2[eE]|%00|\\|//|/\.\.?/|/\.\.;).*|.*/\.\.?)`;
