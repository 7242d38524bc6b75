import type { JsonObject } from '@chandlery/api';
import { smError } from '../../errors.ts';
import { hashParameters } from '../json.ts';
import { optionalObject, optionalText } from './request-fields.ts';

/** What a platform says when it binds. */
export interface BindRequest {
  /** Ids of the broker's catalog. Undefined only where a predecessor says which instance is meant. */
  readonly serviceId: string | undefined;
  readonly planId: string | undefined;
  readonly context: JsonObject | undefined;
  readonly bindResource: JsonObject | undefined;
  /** The binding that this one is to take over from. */
  readonly predecessorId: string | undefined;
  /** Of everything but the context, which may change between two identical requests. */
  readonly hash: string;
}

const comparedFields = ['service_id', 'plan_id', 'app_guid', 'bind_resource', 'predecessor_binding_id'] as const;

/** Reads the body of a bind. Throws `BadRequest`. */
export function readBind(body: JsonObject): BindRequest {
  const predecessorId = optionalText(body, 'predecessor_binding_id');
  const request = {
    serviceId: optionalText(body, 'service_id'),
    planId: optionalText(body, 'plan_id'),
    context: optionalObject(body, 'context'),
    bindResource: optionalObject(body, 'bind_resource'),
    predecessorId,
    hash: hashOf(body),
  };
  const isWhole = request.serviceId !== undefined && request.planId !== undefined;
  if (isWhole || predecessorId !== undefined) return request;
  const field = request.serviceId === undefined ? 'service_id' : 'plan_id';
  throw smError('BadRequest', `"${field}" is required`, { field });
}

function hashOf(body: JsonObject): string {
  const compared: JsonObject = { parameters: optionalObject(body, 'parameters') ?? {} };
  for (const field of comparedFields) {
    const value = body[field];
    if (value !== undefined && value !== null) compared[field] = value;
  }
  return hashParameters(compared);
}
