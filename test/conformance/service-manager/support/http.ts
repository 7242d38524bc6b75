import assert from 'node:assert/strict';
import type { Dispatcher } from 'undici';

export type Method = 'GET' | 'HEAD' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';

/** A JSON object. */
export type Body = Readonly<Record<string, unknown>>;

/**
 * The caller: the operator, an anonymous client, a user with a token, or a platform with its user name and password.
 */
export type Asker = 'operator' | 'nobody' | { readonly token: string } | BasicLogin;

/** A platform's credentials. */
export interface BasicLogin {
  readonly username: string;
  readonly password: string;
}

/** What is sent besides method and path. */
export interface Ask {
  /** Default: the operator. */
  readonly as?: Asker;
  /** Text is sent as it is. Default: no body. */
  readonly body?: Body | string;
  /** `undefined` leaves a header out that would be sent otherwise. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
}

/** What was answered. */
export interface Answer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** The JSON object in the body; empty when there is none. */
  readonly body: Body;
}

/** What is remembered of an answer. */
export interface SeenAnswer {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly status: number;
  readonly error: unknown;
}

export function authorizationOf(asker: Asker = 'operator', operatorToken: string): Record<string, string> {
  if (asker === 'nobody') return {};
  if (asker === 'operator') return { authorization: `Bearer ${operatorToken}` };
  if ('token' in asker) return { authorization: `Bearer ${asker.token}` };
  return { authorization: basicOf(asker) };
}

/** The header of a platform. */
export const basicOf = ({ username, password }: BasicLogin): string =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;

export async function readAnswer({ statusCode, headers, body }: Dispatcher.ResponseData): Promise<Answer> {
  const text = await body.text();
  const entries = Object.entries(headers).map(([name, value]) => [name, String(value)] as const);
  return { status: statusCode, headers: Object.fromEntries(entries), text, body: parseObject(text) };
}

function parseObject(text: string): Body {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Body) : {};
  } catch {
    return {};
  }
}

/** Asserts an error by its status and word, and that it has a sentence. */
export function assertError(answer: Answer, status: number, error: string, description?: RegExp): void {
  assert.deepEqual([answer.status, answer.body['error']], [status, error], answer.text);
  assert.match(String(answer.body['description']), description ?? /./, answer.text);
}

/** Asserts a status, with the body in the message. */
export function assertStatus(answer: Answer, status: number): void {
  assert.equal(answer.status, status, answer.text);
}

/** A part of a body that must be a text. */
export function textAt(answer: Pick<Answer, 'body'>, ...path: readonly string[]): string {
  const value = at(answer.body, ...path);
  assert.equal(typeof value, 'string', `${path.join('.')} is no text in ${JSON.stringify(answer.body)}`);
  return value as string;
}

/** A part of a body. */
export function at(body: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((value, step) => (value as Body | undefined)?.[step], body);
}

/** The items of a page. */
export const itemsOf = ({ body }: Pick<Answer, 'body'>): readonly Body[] => (body['items'] ?? []) as Body[];

/** A list with its queries, encoded. */
export const withQuery = (path: string, query: Readonly<Record<string, string>>): string =>
  `${path}?${Object.entries(query)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&')}`;
