import { apiError } from '@chandlery/api';
import type { ServiceCatalog } from '../catalog/service-catalog.ts';
import type { Explanation } from '../kinds/rest-documents.ts';
import type { HasAccount } from '../members/member-connections.ts';
import { parseServiceKey, type ServiceName } from '../model/service-name.ts';

/** Explains the call that a query describes: `from`, `to`, and optionally `port`, `method` and `path`. */
export function explainCall(catalog: ServiceCatalog, query: Readonly<Record<string, unknown>>): Explanation {
  const { method, path } = query;
  const port = parsePort(query['port']);
  return catalog.explain({
    source: parseName(query['from'], 'from', 'namespace/account'),
    service: parseName(query['to'], 'to', 'namespace/service'),
    ...(port === undefined ? {} : { port }),
    ...(typeof method === 'string' && { method: method.toUpperCase() }),
    ...(typeof path === 'string' && { path }),
  });
}

/** Says of a call that is not allowed whether its account is missing in all clusters of the mesh. */
export async function withMissingAccount(
  explanation: Explanation,
  from: unknown,
  {
    clusters,
    hasAccount,
  }: { readonly clusters: readonly { readonly name: string }[]; readonly hasAccount: HasAccount },
): Promise<Explanation> {
  if (explanation.verdict === 'allowed') return explanation;
  const account = parseName(from, 'from', 'namespace/account');
  const found = await Promise.all(clusters.map(({ name }) => hasAccount(name, account).catch(() => undefined)));
  if (found.some(isThere => isThere !== false)) return explanation;
  const missing = `there is no service account ${account.namespace}/${account.name} in the mesh`;
  return { ...explanation, message: `${missing}; ${explanation.message}` };
}

function parseName(text: unknown, parameter: string, form: string): ServiceName {
  const name = typeof text === 'string' ? parseServiceKey(text) : undefined;
  if (name === undefined) throw apiError('BadRequest', `the parameter "${parameter}" must be ${form}`);
  return name;
}

function parsePort(text: unknown): number | undefined {
  if (text === undefined) return undefined;
  const port = Number(text);
  if (Number.isInteger(port) && port > 0 && port < 65_536) return port;
  throw apiError('BadRequest', 'the parameter "port" must be a port number');
}
