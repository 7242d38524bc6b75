import type { JsonObject } from '@chandlery/api';
import type { SmError } from '../../errors.ts';
import { brokerErrorOf, nonsense, objectIn, type ResponseKind } from './broker-error.ts';
import type { BrokerResponse } from './broker-response.ts';
import type { OsbChange, OsbOutcome } from './osb-outcome.ts';
import { retryAfterOf } from './retry-after.ts';
import { withUsability } from './usability.ts';

interface AnsweredChange {
  readonly verb: OsbChange;
  readonly brokerName: string;
  readonly acceptsIncomplete: boolean;
  readonly response: BrokerResponse;
}

const isCreation = (verb: OsbChange): boolean => verb === 'provision' || verb === 'bind';
/** Only a bind is answered with credentials. */
const kindOf = (verb: OsbChange): ResponseKind => ({ isSecret: verb === 'bind' });
const isDeletion = (verb: OsbChange): boolean => verb === 'deprovision' || verb === 'unbind';

/** Reads the answer to a change: one row of OSB's table of orphans after another. */
export function classifyChange(change: AnsweredChange): OsbOutcome {
  const { verb, brokerName, response } = change;
  const { status } = response;
  if (status === 200 || status === 201 || status === 202) return classifySuccess(change);
  if (status === 410 && isDeletion(verb)) return { type: 'succeeded', body: {} };
  const error = brokerErrorOf(response, brokerName, kindOf(verb));
  if (error.code === 'ConcurrencyError') return { type: 'retry', error, ...retryAfterOf(response) };
  const isUnclear = status >= 500 || (status >= 200 && status < 300);
  return failed(change, error, isUnclear && verb !== 'update');
}

function classifySuccess(change: AnsweredChange): OsbOutcome {
  const { verb, brokerName, response, acceptsIncomplete } = change;
  // Some brokers say nothing more than 200 to a deletion or an update, and nothing more is needed.
  const body = response.body.length === 0 && !isCreation(verb) ? {} : objectIn(response.body);
  // The broker says that it did it, so a creation must be undone; after 200 it may belong to an earlier request.
  const mustUndo = response.status !== 200 && isCreation(verb);
  if (body === undefined) return failed(change, brokerErrorOf(response, brokerName, kindOf(verb)), mustUndo);
  const wrong = illFormedField(verb, body);
  if (wrong !== undefined)
    return failed(
      change,
      nonsense(response, brokerName, `responded with a field of the wrong type: ${wrong}`),
      mustUndo,
    );
  if (response.status !== 202) return { type: 'succeeded', body };
  if (!acceptsIncomplete)
    return failed(
      change,
      nonsense(response, brokerName, 'responded with 202 although the request does not accept it'),
      verb !== 'update',
    );
  return accepted(response, body);
}

function accepted(response: BrokerResponse, body: JsonObject): OsbOutcome {
  const { operation } = body;
  const name = typeof operation === 'string' && operation !== '' ? { operation } : {};
  return { type: 'accepted', ...name, body, ...retryAfterOf(response) };
}

const failed = ({ verb, response }: AnsweredChange, error: SmError, mitigate: boolean): OsbOutcome => ({
  type: 'failed',
  error: withUsability(error, verb, objectIn(response.body) ?? {}),
  mitigate,
});

const maxOperationLength = 10_000;

const isText = (value: unknown): boolean => typeof value === 'string';
const isList = (value: unknown): boolean => Array.isArray(value);
const isObject = (value: unknown): boolean => typeof value === 'object' && !Array.isArray(value);
const isOperation = (value: unknown): boolean => typeof value === 'string' && value.length <= maxOperationLength;

type Fields = Readonly<Record<string, (value: unknown) => boolean>>;

const ofInstance: Fields = { operation: isOperation, dashboard_url: isText };
const ofDeletion: Fields = { operation: isOperation };

/** What we read in answers. Everything else is none of our business, and malformed metadata is ignored. */
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
function illFormedField(verb: OsbChange, body: JsonObject): string | undefined {
  const fields = Object.entries(fieldsOf[verb]);
  return fields.find(([name, isRight]) => body[name] !== undefined && body[name] !== null && !isRight(body[name]))?.[0];
}
