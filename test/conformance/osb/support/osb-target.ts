import type { JsonObject } from '@chandlery/api';
import type { TestLandscape } from '@chandlery/testing';
import type { ScriptedBroker } from '../../../../domains/brokers/src/test-broker/scripted-broker.ts';

export type Method = 'GET' | 'PUT' | 'PATCH' | 'DELETE';

/** What is sent besides method and path. */
export interface Ask {
  /** Text is sent as it is. Default: no body. */
  readonly body?: JsonObject | string;
  /** Added to version and credentials; null leaves one out. */
  readonly headers?: Readonly<Record<string, string | null>>;
}

/** What was answered. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The JSON object of the body; undefined when there is none. */
  readonly body: JsonObject | undefined;
}

/** A broker as a platform finds it: by its own address, or behind Chandlery. */
export interface OsbTarget {
  readonly isDirect: boolean;
  /** What is behind it, to give it a script and to see what it has. */
  readonly broker: ScriptedBroker;
  /** How people call the broker. Direct: not at all. */
  readonly name: string;
  /** Rejects when there is no answer. `path` begins after `/v2`. */
  readonly send: (method: Method, path: string, ask?: Ask) => Promise<Answer>;
}

export const newestVersion = '2.17';

/** A platform that talks to the broker itself. */
export function directTarget(broker: ScriptedBroker, timeoutMs: number): OsbTarget {
  const authorization = basic({ username: 'admin', password: 'broker-password' });
  return {
    isDirect: true,
    broker,
    name: '',
    send: async (method, path, ask = {}) => {
      const response = await fetch(`${broker.url}/v2${path}`, {
        method,
        headers: headersOf(authorization, ask),
        redirect: 'manual',
        signal: AbortSignal.timeout(timeoutMs),
        ...bodyOf(ask),
      });
      return answerOf(response.status, response.headers, await response.text());
    },
  };
}

/** A platform that is registered with Chandlery. */
export interface PlatformLogin {
  readonly username: string;
  readonly password: string;
}

/** The same broker as Chandlery shows it to a platform. */
export function throughTarget(landscape: TestLandscape, { broker, brokerId, name, login }: ThroughOptions): OsbTarget {
  const authorization = basic(login);
  return {
    isDirect: false,
    broker,
    name,
    send: async (method, path, ask = {}) => {
      const asked = { method, headers: headersOf(authorization, ask), token: null, ...bodyOf(ask) };
      const { status, headers, text } = await landscape.request(`/v1/osb/${brokerId}/v2${path}`, asked);
      return answerOf(status, headers, text);
    },
  };
}

interface ThroughOptions {
  readonly broker: ScriptedBroker;
  readonly brokerId: string;
  readonly name: string;
  readonly login: PlatformLogin;
}

const basic = ({ username, password }: PlatformLogin): string =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;

function headersOf(authorization: string, { body, headers = {} }: Ask): Record<string, string> {
  const all: Record<string, string | null> = {
    authorization,
    'x-broker-api-version': newestVersion,
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...headers,
  };
  return Object.fromEntries(Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== null));
}

const bodyOf = ({ body }: Ask): { readonly body?: string } =>
  body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) };

const answerOf = (status: number, headers: Headers, text: string): Answer => ({
  status,
  headers,
  text,
  body: objectIn(text),
});

function objectIn(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;
  } catch {
    return undefined;
  }
}
