import { isPassedOn } from '../../model/osb/passed-headers.ts';
import { failureError, isBrokerFailure } from '../../model/outcomes/broker-error.ts';
import type { BrokerRow } from '../../model/rows.ts';
import type { BrokerRequest, BrokerResponse } from '../../ports.ts';
import { nameOf } from './broker-response.ts';
import type { OsbCall, OsbDeps } from './osb-call.ts';

/** What goes to the broker instead of what the platform sent. */
export interface ForwardedChanges {
  readonly path?: string;
  readonly query?: string;
  readonly body?: string;
}

/**
 * Forwards a request. Path, query and body are unchanged unless `change` replaces them.
 *
 * Any status is a response. The thrown error lets the platform decide whether to clean up: 502 when the broker could
 * not be reached or the connection broke, 504 on a timeout, and 503 with `Retry-After` when the broker was not called.
 */
export async function forwardRequest(
  deps: OsbDeps,
  call: OsbCall,
  change: ForwardedChanges = {},
): Promise<BrokerResponse> {
  const { path = call.target.path, query = call.target.query, body = call.body } = change;
  const request: BrokerRequest = {
    method: call.method as BrokerRequest['method'],
    path: path + query,
    headers: headersFor(call, body !== undefined),
    ...(body === undefined ? {} : { body }),
  };
  try {
    const connection = await deps.connections.of(call.broker);
    return await connection.call(request);
  } catch (thrown) {
    throw isBrokerFailure(thrown) ? failureError(thrown, nameOf(call.broker)) : thrown;
  }
}

function headersFor(call: OsbCall, hasBody: boolean): Record<string, string> {
  const { broker, platform, headers, correlationId } = call;
  const passed: Record<string, string> = {};
  for (const name in headers) {
    const value = headers[name];
    if (value === undefined || !isPassedOn(name)) continue;
    passed[name] = typeof value === 'string' ? value : value.join(', ');
  }
  if (!hasBody) delete passed['content-type'];
  else passed['content-type'] ??= 'application/json';
  if (broker.spec.internal !== undefined) {
    passed['x-chandlery-tenant'] = platform.tenant;
    passed['x-chandlery-platform'] = platform.id;
  }
  passed['x-broker-api-version'] = versionFor(broker, headers['x-broker-api-version'] as string);
  passed['x-broker-api-request-identity'] ??= correlationId;
  passed['x-correlation-id'] = correlationId;
  return passed;
}

/** The platform's version, unless the broker speaks only one, or only an older one. */
function versionFor({ spec, status }: BrokerRow, asked: string): string {
  if (spec.apiVersion !== undefined) return spec.apiVersion;
  const { apiVersion: accepted } = status;
  return accepted !== undefined && minorOf(accepted) < minorOf(asked) ? accepted : asked;
}

const minorOf = (version: string): number => Number(version.slice(version.indexOf('.') + 1));
