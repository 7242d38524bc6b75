import type { JsonObject } from '@chandlery/api';
import type { OsbCase, OsbPlayer } from '../support/osb-player.ts';
import type { Method } from '../support/osb-target.ts';
import { bindBody, idsIn, idsOf, provisionBody } from '../support/requests.ts';
import { withInstance } from './bind.ts';

interface Call {
  readonly method: Method;
  readonly path: (osb: OsbPlayer) => string;
  readonly body?: JsonObject;
}

/** One request of every kind that reaches the broker. */
const calls: Readonly<Record<string, Call>> = {
  provision: { method: 'PUT', path: osb => osb.instance('new'), body: provisionBody('sync') },
  update: { method: 'PATCH', path: osb => osb.instance('i'), body: idsIn('shared') },
  deprovision: { method: 'DELETE', path: osb => `${osb.instance('i')}?${idsOf('sync')}` },
  bind: { method: 'PUT', path: osb => osb.binding('i', 'new'), body: bindBody('sync') },
  unbind: { method: 'DELETE', path: osb => `${osb.binding('i', 'b')}?${idsOf('sync')}` },
  'fetch of an instance': { method: 'GET', path: osb => osb.instance('i') },
  'fetch of a binding': { method: 'GET', path: osb => osb.binding('i', 'b') },
  'poll of an instance': { method: 'GET', path: osb => `${osb.instance('i')}/last_operation` },
  'poll of a binding': { method: 'GET', path: osb => `${osb.binding('i', 'b')}/last_operation` },
};

const statuses = [400, 401, 403, 404, 408, 409, 410, 418, 422, 429, 500, 501, 502, 503, 504];

const bodies: readonly unknown[] = [
  { error: 'OwnWord', description: 'in its own words', 'x-vendor': { kept: true } },
  { description: 'no word' },
  { error: 'NoSentence' },
  {},
];

export const refusalCases: readonly OsbCase[] = Object.entries(calls).flatMap(([what, { method, path, body }]) => [
  {
    why: `${what}: every status, word, field and Retry-After of the broker reaches the platform`,
    play: async osb => {
      await withInstance(osb);
      await osb.expect(201, 'PUT', osb.binding('i', 'b'), { body: bindBody('sync') });
      for (const [index, status] of statuses.entries()) {
        // A deletion that is answered 410 is one: what was deleted is not there any more.
        if (method === 'DELETE' && status === 410) continue;
        const headers = { 'retry-after': String(index + 1) };
        osb.broker.misbehave({ type: 'answer', status, body: bodies[index % bodies.length], headers }, { method });
        await osb.expect(status, method, path(osb), body === undefined ? {} : { body });
      }
    },
  } satisfies OsbCase,
  {
    why: `${what}: a refusal that is no JSON keeps its status`,
    play: async osb => {
      await withInstance(osb);
      await osb.expect(201, 'PUT', osb.binding('i', 'b'), { body: bindBody('sync') });
      for (const [status, text] of [
        [400, '<html>no</html>'],
        [503, 'upstream down'],
        [500, ''],
      ] as const) {
        const headers = { 'content-type': 'text/html' };
        osb.broker.misbehave({ type: 'answer', status, body: text, headers }, { method });
        // What may hold credentials is not quoted.
        const isOwn = what === 'bind' || what === 'fetch of a binding';
        await osb.expect({ status, isOwn }, method, path(osb), body === undefined ? {} : { body });
      }
    },
  } satisfies OsbCase,
]);
