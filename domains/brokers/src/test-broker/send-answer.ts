import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Misbehaviour } from './broker-script.ts';
import type { BrokerState } from './broker-state.ts';
import type { OsbAnswer } from './osb-answers.ts';

/** Writes an answer. Echoes the request's identity, as brokers should. */
export function sendAnswer(request: IncomingMessage, response: ServerResponse, answer: OsbAnswer): void {
  const text = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body ?? {});
  response.writeHead(answer.status, headersOf(request, answer, Buffer.byteLength(text)));
  response.end(text);
}

function headersOf(request: IncomingMessage, { headers = {} }: OsbAnswer, length: number): Record<string, string> {
  const identity = request.headers['x-broker-api-request-identity'];
  return {
    'content-type': 'application/json',
    'content-length': String(length),
    ...(typeof identity === 'string' ? { 'x-broker-api-request-identity': identity } : {}),
    ...headers,
  };
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly url: string;
  readonly state: BrokerState;
  /** Does what was asked for and says what the answer should be. */
  readonly right: () => OsbAnswer;
}

/** Answers as the script says. */
export async function misbehave(
  { misbehaviour, acts }: { readonly misbehaviour: Misbehaviour; readonly acts: boolean },
  { request, response, url, state, right }: Exchange,
): Promise<void> {
  const actsAnyway = misbehaviour.type === 'delay' || misbehaviour.type === 'drop-mid-body';
  if (acts && !actsAnyway) right();
  switch (misbehaviour.type) {
    case 'answer':
      return sendAnswer(request, response, { body: {}, ...misbehaviour });
    case 'delay':
      await sleep(misbehaviour.ms, undefined, { ref: false });
      return sendAnswer(request, response, right());
    case 'hang':
      return;
    case 'drop':
      response.destroy();
      return;
    case 'drop-mid-body':
      return sendHalf(request, response, right());
    case 'fail-operation':
      state.finish(polledId(url), 'failed', misbehaviour.details);
      return sendAnswer(request, response, right());
  }
}

function sendHalf(request: IncomingMessage, response: ServerResponse, answer: OsbAnswer): void {
  const text = JSON.stringify(answer.body);
  response.writeHead(answer.status, headersOf(request, answer, Buffer.byteLength(text)));
  response.write(text.slice(0, Math.max(1, Math.floor(text.length / 2))), () => response.destroy());
}

/** The instance or binding whose last operation is asked for. */
function polledId(url: string): string {
  const id = /([^/]+)\/last_operation/.exec(url)?.[1];
  if (id === undefined) throw new Error('only a poll can say that something has failed');
  return decodeURIComponent(id);
}
