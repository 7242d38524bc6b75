import assert from 'node:assert/strict';
import type { JsonObject } from '@chandlery/api';
import type { Said } from './osb-player.ts';

/** Two runs of one story: with the broker itself, and through Chandlery, which knows it by a name. */
interface Runs {
  readonly direct: readonly Said[];
  readonly through: readonly Said[];
  readonly brokerName: string;
}

/**
 * Asserts that a platform receives the same response directly and through Chandlery: the status, the headers that it
 * reads, and the body apart from the broker's name.
 */
export function assertSameAnswers({ direct, through, brokerName }: Runs): void {
  assert.deepEqual(
    through.map(({ what }) => what),
    direct.map(({ what }) => what),
  );
  const nameDirect = operationNamer();
  const nameThrough = operationNamer();
  for (const [index, expected] of direct.entries()) {
    const heard = through[index] as Said;
    const wanted = expected.isOwn ? meaningOf(expected, nameDirect) : wordsOf(expected, nameDirect, brokerName);
    const got = expected.isOwn ? meaningOf(heard, nameThrough) : wordsOf(heard, nameThrough);
    assert.deepEqual(got, wanted, heard.what);
  }
}

/** Brokers count operations: the first that is named is the same as the first elsewhere. */
function operationNamer(): (operation: unknown) => unknown {
  const names = new Map<unknown, string>();
  return operation => {
    if (operation === undefined) return undefined;
    const name = names.get(operation) ?? `operation ${names.size + 1}`;
    names.set(operation, name);
    return name;
  };
}

type Namer = ReturnType<typeof operationNamer>;

/** What counts in an answer that Chandlery gives by itself; the status has been looked at. */
function meaningOf({ answer }: Said, nameOf: Namer): unknown {
  const { status, body } = answer;
  return { operation: status === 202 ? nameOf(body?.['operation']) : undefined };
}

/** All that counts in an answer. With a name: as Chandlery should say it. */
function wordsOf({ answer }: Said, nameOf: Namer, brokerName?: string): unknown {
  const { status, headers, body, text } = answer;
  const isError = status >= 400;
  return {
    status,
    retryAfter: headers.get('retry-after'),
    identity: headers.get('x-broker-api-request-identity'),
    contentType: isError ? 'application/json' : headers.get('content-type'),
    body: isError && brokerName !== undefined ? asPassedOn(answer, brokerName) : (named(body, nameOf) ?? text),
  };
}

const named = (body: JsonObject | undefined, nameOf: Namer): JsonObject | undefined =>
  body?.['operation'] === undefined ? body : { ...body, operation: nameOf(body['operation']) as string };

/** An error as Chandlery passes it on. */
function asPassedOn({ status, body, text }: Said['answer'], brokerName: string): JsonObject {
  if (body === undefined && text !== '')
    return { description: `Service broker ${brokerName} responded with invalid JSON: ${text}` };
  const said = body ?? {};
  if (status === 410 && said['error'] === undefined) return said;
  if (status === 422 && osbSentences.has(said['description'])) return said;
  const description = said['description'] ?? said['error'] ?? `status ${status}`;
  return { ...said, description: `Service broker ${brokerName} failed with: ${description as string}` };
}

/** Clients know OSB's own refusals by these sentences alone. */
const osbSentences: ReadonlySet<unknown> = new Set([
  'This service plan requires client support for asynchronous service operations.',
  'This service supports generation of credentials through binding an application only.',
  'The Service Broker does not support concurrent requests that mutate the same resource.',
]);
