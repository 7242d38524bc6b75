import { apiError } from '@chandlery/api';
import type { ServiceCatalog } from '../catalog/service-catalog.ts';
import type { Explanation } from '../kinds/rest-documents.ts';
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
