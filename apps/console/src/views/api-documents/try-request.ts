import type { Method, Operation } from './open-api.ts';

/** What a user has filled in for an operation. */
export interface Filled {
  /** By `in name`, such as `query limit`. */
  readonly values: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface TriedRequest {
  readonly method: Method;
  /** Path and query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Empty: none. */
  readonly body: string;
}

export const valueKey = ({ in: place, name }: { readonly in: string; readonly name: string }): string =>
  `${place} ${name}`;

/** Headers that would give the request another identity, or that belong to the connection. */
const ownHeaders = /^(authorization|cookie|host|content-type|x-broker-api-originating-identity|impersonate-.*)$/i;

/** The parameters that users fill in: cookies are never sent, and the session has its own credentials. */
export const fillable = ({ parameters }: Operation) =>
  parameters.filter(({ in: place, name }) => place !== 'cookie' && !(place === 'header' && ownHeaders.test(name)));

/** The request that an operation becomes. */
export function requestOf(operation: Operation, { values, body }: Filled): TriedRequest {
  const valueOf = (place: string, name: string): string => values[`${place} ${name}`] ?? '';
  const path = operation.path.replace(/\{([^}]+)\}/g, (_, name: string) => encodeURIComponent(valueOf('path', name)));
  const given = (place: string): [string, string][] =>
    fillable(operation)
      .filter(parameter => parameter.in === place)
      .map(({ name }): [string, string] => [name, valueOf(place, name)])
      .filter(([, value]) => value !== '');
  const query = new URLSearchParams(given('query'));
  const hasBody = operation.body !== undefined && body !== '';
  return {
    method: operation.method,
    path: query.size === 0 ? path : `${path}?${query}`,
    headers: {
      ...Object.fromEntries(given('header')),
      ...(hasBody && { 'content-type': operation.body?.mediaType ?? 'application/json' }),
    },
    body: hasBody ? body : '',
  };
}

/** The required parameters that are empty. */
export const missingValues = (operation: Operation, { values }: Filled): readonly string[] =>
  fillable(operation)
    .filter(parameter => parameter.required === true || parameter.in === 'path')
    .filter(parameter => (values[valueKey(parameter)] ?? '') === '')
    .map(({ name }) => name);

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** The same request as a command. The token is a variable: it never leaves the session. */
export function curlOf({ method, path, headers, body }: TriedRequest, origin: string): string {
  const parts = [
    'curl',
    ...(method === 'get' ? [] : [`-X ${method.toUpperCase()}`]),
    '--cacert ca.crt',
    '-H "Authorization: Bearer $TOKEN"',
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body === '' ? [] : [`--data-binary ${quoted(body)}`]),
    quoted(`${origin}${path}`),
  ];
  return parts.join(' ');
}
