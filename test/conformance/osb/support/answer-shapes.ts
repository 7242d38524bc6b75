import assert from 'node:assert/strict';
import type { JsonObject } from '@chandlery/api';
import type { Answer, Method } from './osb-target.ts';

type Check = (value: unknown) => boolean;

const isText: Check = value => typeof value === 'string' && value !== '';
const isWord: Check = value => typeof value === 'string' && /^\S+$/.test(value);
const isObject: Check = value => typeof value === 'object' && value !== null && !Array.isArray(value);
const isList: Check = value => Array.isArray(value);
const isFlag: Check = value => typeof value === 'boolean';
const isOperation: Check = value => typeof value === 'string' && value.length <= 10_000;
const isUrlOrNull: Check = value => value === null || typeof value === 'string';
const isState: Check = value => ['in progress', 'succeeded', 'failed'].includes(value as string);

type Fields = Readonly<Record<string, Check>>;

const ofInstance: Fields = { dashboard_url: isUrlOrNull, operation: isOperation, metadata: isObject };
const ofBinding: Fields = {
  credentials: isObject,
  syslog_drain_url: isText,
  route_service_url: isText,
  volume_mounts: isList,
  endpoints: isList,
  metadata: isObject,
};
const ofPoll: Fields = { state: isState, description: isText, instance_usable: isFlag, update_repeatable: isFlag };
const ofError: Fields = { error: isWord, description: isText, instance_usable: isFlag, update_repeatable: isFlag };

/** What was asked, and the answer to it. */
interface Exchange {
  readonly method: Method;
  readonly path: string;
  readonly answer: Answer;
}

/** Asserts what the specification says about the form of an answer, whatever it means. Unknown fields are fine. */
export function assertShape({ method, path, answer }: Exchange): void {
  if (answer.status === 304) return assert.equal(answer.text, '');
  const what = `${method} ${path} answered ${answer.status} ${answer.text.slice(0, 500)}`;
  assert.match(answer.headers.get('content-type') ?? '', /^application\/json\b/, what);
  const { body } = answer;
  assert.ok(body, `${what}: no JSON object`);
  if (answer.status >= 400) return assertErrorShape({ method, path, answer }, body);
  const plain = path.split('?')[0] ?? '';
  if (plain === '/catalog') return;
  checkFields(body, fieldsOf(method, plain), what);
  if (plain.endsWith('/last_operation')) assert.ok(isState(body['state']), what);
  if (answer.status === 202) assert.equal(body['credentials'], undefined, `${what}: credentials before their time`);
}

function fieldsOf(method: Method, path: string): Fields {
  if (path.endsWith('/last_operation')) return ofPoll;
  if (method === 'DELETE') return { operation: isOperation };
  return path.includes('/service_bindings/') ? { ...ofBinding, operation: isOperation } : ofInstance;
}

/** What an update or a deletion of an instance may say besides, nothing else may. */
function assertErrorShape({ method, path, answer }: Exchange, body: JsonObject): void {
  const what = `${method} ${path} answered ${answer.status} ${answer.text.slice(0, 500)}`;
  checkFields(body, ofError, what);
  if (answer.status !== 410) assert.ok(body['description'], `${what}: no sentence for people`);
  const isOfInstance = !path.includes('/service_bindings/');
  const isUpdate = method === 'PATCH';
  if (!isOfInstance || !(isUpdate || method === 'DELETE')) assert.equal(body['instance_usable'], undefined, what);
  if (!isUpdate) assert.equal(body['update_repeatable'], undefined, what);
}

function checkFields(body: JsonObject, fields: Fields, what: string): void {
  for (const [name, isRight] of Object.entries(fields)) {
    if (body[name] !== undefined) assert.ok(isRight(body[name]), `${what}: "${name}" is not as it should be`);
  }
}
