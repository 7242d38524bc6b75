import { apiError, badRequest, fieldCause, invalidOptions, type JsonObject } from '@chandlery/api';
import type { DeleteOptions } from '@chandlery/kernel';
import { decodeShortBody } from '../body.ts';
import { type Call, integerOf, isDryRun } from '../call.ts';
import { findMessage } from '../message-finder.ts';

/** DeleteOptions have a handful of fields. */
const maxOptionsBytes = 16 * 1024;

/** Options of a deletion, from the body where there is one and from the query otherwise. */
export function deleteOptionsOf(call: Pick<Call, 'query' | 'request'>): DeleteOptions & { readonly isDryRun: boolean } {
  const body = optionsOf(call);
  const { query } = call;
  const grace = body['gracePeriodSeconds'] ?? integerOf(query, 'gracePeriodSeconds');
  if (grace !== undefined && (typeof grace !== 'number' || !Number.isInteger(grace))) {
    throw badRequest('gracePeriodSeconds must be an integer');
  }
  const policy = policyOf(body, query);
  const preconditions = preconditionsOf(body['preconditions']);
  return {
    isDryRun: isDryRun([...query.getAll('dryRun'), ...textsOf(body['dryRun'])], 'DeleteOptions'),
    ...(grace === undefined ? {} : { gracePeriodSeconds: grace }),
    ...(policy === undefined ? {} : { propagationPolicy: policy }),
    ...(preconditions === undefined ? {} : { preconditions }),
  };
}

function optionsOf(call: Pick<Call, 'request'>): JsonObject {
  const body = call.request.body as Buffer | undefined;
  if (body === undefined || body.length === 0) return {};
  if (body.length > maxOptionsBytes)
    throw apiError('RequestEntityTooLarge', `the DeleteOptions have more than ${maxOptionsBytes} bytes`);
  const value = decodeShortBody(body, call.request.headers['content-type'], findMessage);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw badRequest('DeleteOptions must be an object');
  return value;
}

const policies = ['Background', 'Foreground', 'Orphan'] as const;

function policyOf(body: JsonObject, query: URLSearchParams): DeleteOptions['propagationPolicy'] {
  const policy = body['propagationPolicy'] ?? query.get('propagationPolicy') ?? undefined;
  const orphan = body['orphanDependents'];
  if (policy !== undefined && orphan !== undefined && orphan !== null) {
    const rule = 'orphanDependents and deletionPropagation cannot be both set';
    throw invalidOptions('DeleteOptions', fieldCause.invalid('propagationPolicy', policy, rule));
  }
  if (orphan === true) return 'Orphan';
  if (orphan === false) return 'Background';
  switch (policy) {
    case undefined:
    case '':
      return undefined;
    case 'Orphan':
    case 'Background':
    case 'Foreground':
      return policy;
    default:
      throw invalidOptions('DeleteOptions', fieldCause.notSupported('propagationPolicy', policy, policies));
  }
}

function preconditionsOf(value: unknown): DeleteOptions['preconditions'] {
  if (value === undefined || value === null) return undefined;
  const { uid, resourceVersion } = value as { uid?: unknown; resourceVersion?: unknown };
  for (const text of [uid, resourceVersion]) {
    if (text !== undefined && text !== null && typeof text !== 'string')
      throw badRequest('preconditions must be strings');
  }
  return {
    ...(typeof uid === 'string' ? { uid } : {}),
    ...(typeof resourceVersion === 'string' ? { resourceVersion } : {}),
  };
}

const textsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter(item => typeof item === 'string') : [];
