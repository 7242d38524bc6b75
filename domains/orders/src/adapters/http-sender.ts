import { type AddressPolicy, assertCallable, checkedLookup, createAddressPolicy } from '@chandlery/platform';
import type { HttpAction, HttpRequest, Observation } from '@chandlery/workflow';
import { Agent, buildConnector, fetch } from 'undici';
import type { HttpSender } from '../workflow-ports.ts';

const defaultTimeoutSeconds = 30;
const maxBodyBytes = 256 * 1024;

export interface HttpSenderOptions {
  /** Whether requests may reach this machine itself. */
  readonly allowsLoopback: boolean;
  /** Further ranges (CIDR) that may be reached though they are not public. Default none. */
  readonly allowedRanges?: readonly string[];
}

/** Sends requests of http templates. Addresses that are not public are rejected. */
export function createHttpSender({ allowsLoopback, allowedRanges = [] }: HttpSenderOptions): HttpSender {
  const addresses = createAddressPolicy({ allowed: allowedRanges, allowLoopback: allowsLoopback });
  const agents = new Map([true, false].map(isVerified => [isVerified, createAgent(addresses, isVerified)]));
  return {
    send: async ({ node, request }: HttpAction, signal): Promise<Observation> => {
      try {
        const dispatcher = agents.get(request.insecureSkipVerify !== true);
        return { kind: 'response', node, ...(await sendOne(request, { signal, dispatcher })) };
      } catch (error) {
        return { kind: 'noResponse', node, message: messageOf(error) };
      }
    },
  };
}

async function sendOne(request: HttpRequest, options: { signal: AbortSignal; dispatcher: Agent | undefined }) {
  const { url, method = 'GET', headers = [], body, timeoutSeconds = defaultTimeoutSeconds } = request;
  const timeout = AbortSignal.timeout(timeoutSeconds * 1000);
  const response = await fetch(url, {
    method,
    headers: headers.map(({ name, value = '' }): [string, string] => [name, value]),
    ...(body !== undefined && body !== '' && method !== 'GET' && method !== 'HEAD' && { body }),
    signal: AbortSignal.any([options.signal, timeout]),
    ...(options.dispatcher && { dispatcher: options.dispatcher }),
  });
  const text = await readStart(response.body ?? []);
  const lists = Object.fromEntries([...response.headers].map(([name, value]) => [canonicalName(name), [value]]));
  return { statusCode: response.status, body: text, headers: lists };
}

/** The start of a body; the rest is neither read nor kept. */
async function readStart(body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<string> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of body) {
    pieces.push(piece);
    bytes += piece.length;
    if (bytes >= maxBodyBytes) break;
  }
  return Buffer.concat(pieces).subarray(0, maxBodyBytes).toString();
}

/** `content-type` as `Content-Type`, as Go has the names of headers. */
const canonicalName = (name: string): string => name.replace(/(^|-)([a-z])/g, text => text.toUpperCase());

/** What undici says is that the fetch failed; the causes say why. */
function messageOf(thrown: unknown): string {
  const messages: string[] = [];
  for (let error: unknown = thrown; error instanceof Error; error = error.cause) messages.push(error.message);
  return messages.join(': ');
}

/** Connects only to addresses that may be called, whatever names and redirects say. */
function createAgent(addresses: AddressPolicy, isVerified: boolean): Agent {
  const connect = buildConnector({ rejectUnauthorized: isVerified, lookup: checkedLookup(addresses, notAllowed) });
  return new Agent({
    connect: (options, callback) => {
      try {
        assertCallable(addresses, options.hostname, notAllowed);
        connect(options, callback);
      } catch (error) {
        callback(error as Error, null);
      }
    },
  });
}

const notAllowed = (host: string): Error => new Error(`the address of ${host} is not allowed`);
