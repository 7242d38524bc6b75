import type { JsonObject } from '@chandlery/api';
import type { OsbChange } from './osb-outcome.ts';

const maxOperationLength = 10_000;

const isText = (value: unknown): boolean => typeof value === 'string';
const isList = (value: unknown): boolean => Array.isArray(value);
const isObject = (value: unknown): boolean => typeof value === 'object' && !Array.isArray(value);
const isOperation = (value: unknown): boolean => typeof value === 'string' && value.length <= maxOperationLength;

type Fields = Readonly<Record<string, (value: unknown) => boolean>>;

const ofInstance: Fields = { operation: isOperation, dashboard_url: isText };
const ofDeletion: Fields = { operation: isOperation };

/** What we read in answers. Everything else is none of our business, and ill-formed metadata is ignored. */
const fieldsOf: Readonly<Record<OsbChange, Fields>> = {
  provision: ofInstance,
  update: ofInstance,
  deprovision: ofDeletion,
  unbind: ofDeletion,
  bind: {
    operation: isOperation,
    credentials: isObject,
    syslog_drain_url: isText,
    route_service_url: isText,
    volume_mounts: isList,
    endpoints: isList,
  },
};

/** The name of the first field of the wrong type. Null is as good as absent. */
export function illFormedField(verb: OsbChange, body: JsonObject): string | undefined {
  const fields = Object.entries(fieldsOf[verb]);
  return fields.find(([name, isRight]) => body[name] !== undefined && body[name] !== null && !isRight(body[name]))?.[0];
}
