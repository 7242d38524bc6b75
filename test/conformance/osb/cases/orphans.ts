import assert from 'node:assert/strict';
import type { JsonObject } from '@chandlery/api';
import { eventually } from '@chandlery/testing';
import type { Misbehaviour } from '../../../../domains/brokers/src/test-broker/broker-script.ts';
import { mustMitigate, type Verb } from '../support/orphan-table.ts';
import type { OsbCase, OsbPlayer } from '../support/osb-player.ts';
import type { Answer, Method } from '../support/osb-target.ts';
import { bindBody, idsIn, idsOf, provisionBody } from '../support/requests.ts';
import { withInstance } from './bind.ts';

interface Row {
  readonly why: string;
  readonly fault: Misbehaviour;
  /** What Chandlery says to all verbs. Default: the status of the fault. */
  readonly through?: number;
  /**
   * Verbs after which a platform may clean up although the table does not ask for it, since Chandlery says 502 or 504 where
   * the broker said nothing that can be understood. Default: none.
   */
  readonly stricter?: readonly Verb[];
}

const answer = (status: number, body: unknown = {}): Misbehaviour => ({ type: 'answer', status, body });
const allButUpdate: readonly Verb[] = ['provision', 'bind', 'deprovision', 'unbind'];

/** The orphan mitigation table, row by row; other cases cover successes. */
const rows: readonly Row[] = [
  { why: '200 that is no JSON', fault: answer(200, 'garbage'), through: 502, stricter: allButUpdate },
  {
    why: '200 with a field of the wrong type',
    fault: answer(200, { operation: 7 }),
    through: 502,
    stricter: allButUpdate,
  },
  { why: '201 that is no JSON', fault: answer(201, 'garbage'), through: 502, stricter: ['deprovision', 'unbind'] },
  { why: '201 that is a list', fault: answer(201, []), through: 502, stricter: ['deprovision', 'unbind'] },
  { why: '202 that is no JSON', fault: answer(202, 'garbage'), through: 502 },
  { why: '202 that nobody allowed', fault: answer(202, { operation: 'x' }), through: 502 },
  { why: '206', fault: answer(206), through: 502 },
  { why: '299', fault: answer(299), through: 502 },
  { why: '408', fault: answer(408) },
  { why: '400', fault: answer(400) },
  { why: '422', fault: answer(422, { error: 'Other', description: 'no' }) },
  { why: '422 ConcurrencyError', fault: answer(422, { error: 'ConcurrencyError', description: 'busy' }) },
  { why: '429', fault: answer(429) },
  { why: '500', fault: answer(500) },
  { why: '503 that is no JSON', fault: answer(503, '<html>') },
  { why: 'no answer in time', fault: { type: 'hang' }, through: 504, stricter: ['deprovision', 'unbind'] },
  { why: 'a connection that ends', fault: { type: 'drop' }, through: 502, stricter: ['deprovision', 'unbind'] },
  {
    why: 'a connection that ends in the middle of the answer',
    fault: { type: 'drop-mid-body' },
    through: 502,
    stricter: ['deprovision', 'unbind'],
  },
];

interface Call {
  readonly method: Method;
  readonly path: (osb: OsbPlayer) => string;
  readonly body?: JsonObject;
  /** Deletes what the call is about. */
  readonly removal: (osb: OsbPlayer) => string;
}

const instanceRemoval = (osb: OsbPlayer): string => `${osb.instance('i')}?${idsOf('sync')}`;
const bindingRemoval = (osb: OsbPlayer): string => `${osb.binding('i', 'b')}?${idsOf('sync')}`;

const calls: Readonly<Record<Verb, Call>> = {
  provision: { method: 'PUT', path: osb => osb.instance('i'), body: provisionBody('sync'), removal: instanceRemoval },
  update: { method: 'PATCH', path: osb => osb.instance('i'), body: idsIn('shared'), removal: instanceRemoval },
  deprovision: { method: 'DELETE', path: instanceRemoval, removal: instanceRemoval },
  bind: { method: 'PUT', path: osb => osb.binding('i', 'b'), body: bindBody('sync'), removal: bindingRemoval },
  unbind: { method: 'DELETE', path: bindingRemoval, removal: bindingRemoval },
};

/** What must be there before. */
async function setUp(osb: OsbPlayer, verb: Verb): Promise<void> {
  if (verb !== 'provision') await withInstance(osb);
  if (verb === 'unbind') await osb.expect(201, 'PUT', osb.binding('i', 'b'), { body: bindBody('sync') });
}

/** Refusals change nothing; after anything else the broker has done what it was asked to. */
const isRefusal = (fault: Misbehaviour): boolean =>
  fault.type === 'answer' && fault.status >= 400 && fault.status < 500;

/** Asks while the broker misbehaves. Undefined: no answer, which only a broker may give. */
async function askDuring(osb: OsbPlayer, { fault }: Row, { method, path, body }: Call): Promise<Answer | undefined> {
  osb.broker.misbehave(fault, { method, acts: !isRefusal(fault) });
  const sent = osb.target.send(method, path(osb), body === undefined ? {} : { body });
  return osb.isDirect ? sent.catch(() => undefined) : sent;
}

/** What the table says about the fault itself. */
function tableSays(verb: Verb, fault: Misbehaviour): boolean {
  if (fault.type !== 'answer') return mustMitigate(verb, undefined);
  const text = typeof fault.body === 'string' ? fault.body : JSON.stringify(fault.body);
  const isObject = typeof fault.body === 'object' && !Array.isArray(fault.body);
  const body = isObject ? (fault.body as JsonObject) : undefined;
  return mustMitigate(verb, { status: fault.status, headers: new Headers(), text, body });
}

/** Deletes as platforms do: until the broker confirms the deletion, and not concurrently with another request. */
async function cleanUp(osb: OsbPlayer, path: string): Promise<void> {
  await eventually(
    async () => {
      const { status } = await osb.target.send('DELETE', path);
      return status === 200 || status === 410;
    },
    { what: `the end of ${path}` },
  );
}

async function playRow(osb: OsbPlayer, row: Row, verb: Verb): Promise<void> {
  const call = calls[verb];
  await setUp(osb, verb);
  const answered = await askDuring(osb, row, call);
  const expected = tableSays(verb, row.fault);
  const reading = mustMitigate(verb, answered);
  if (osb.isDirect) assert.equal(reading, expected);
  else {
    const said = row.fault.type === 'answer' ? row.fault.status : undefined;
    assert.equal(answered?.status, row.through ?? said, answered?.text ?? '');
    assert.equal(reading, expected || row.stricter?.includes(verb) === true, answered?.text ?? '');
  }
  if (verb === 'update') return void (await osb.expect(200, 'GET', osb.instance('i')));
  if (reading || verb === 'deprovision' || verb === 'unbind') await cleanUp(osb, call.removal(osb));
  else if (!isRefusal(row.fault)) return;
  await assertNothingLeft(osb, verb);
}

/** Asserts that neither the broker nor the service manager has the resource: the id can be reused. */
async function assertNothingLeft(osb: OsbPlayer, verb: Verb): Promise<void> {
  const isOfInstance = verb === 'provision' || verb === 'deprovision';
  const { instances, bindings } = osb.broker;
  assert.equal(isOfInstance ? instances.has(osb.id('i')) : bindings.has(osb.id('b')), false);
  const other = { parameters: { another: true } };
  const path = isOfInstance ? osb.instance('i') : osb.binding('i', 'b');
  const body = isOfInstance ? provisionBody('sync', other) : bindBody('sync', other);
  const made = await eventually(
    async () => {
      const answer = await osb.target.send('PUT', path, { body });
      // Chandlery may be about to delete it for its part; platforms wait then, and ask again.
      return answer.body?.['error'] === 'ConcurrencyError' ? undefined : answer;
    },
    { what: `${path} to be free` },
  );
  assert.equal(made.status, 201, made.text);
}

export const orphanCases: readonly OsbCase[] = rows.flatMap(row =>
  (Object.keys(calls) as Verb[]).map(
    verb =>
      ({
        why: `${row.why} to ${verb}`,
        broker: 'impatient',
        play: osb => playRow(osb, row, verb),
      }) satisfies OsbCase,
  ),
);
