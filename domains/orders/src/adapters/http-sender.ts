import { lookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { toError } from '@chandlery/api';
import type { HttpAction, HttpRequest, Observation } from '@chandlery/workflow';
import { Agent, buildConnector, fetch } from 'undici';
import type { HttpSender } from '../workflow-ports.ts';

const defaultTimeoutSeconds = 30;
const maxBodyBytes = 256 * 1024;

export interface HttpSenderOptions {
  /** Whether requests may reach this machine itself. */
  readonly allowsLoopback: boolean;
}

/** Sends requests of http templates. Link-local and private addresses are refused. */
export function createHttpSender({ allowsLoopback }: HttpSenderOptions): HttpSender {
  const refused = refusedAddresses(allowsLoopback);
  const agents = new Map([true, false].map(isVerified => [isVerified, createAgent(refused, isVerified)]));
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
  const text = Buffer.from(await response.arrayBuffer())
    .subarray(0, maxBodyBytes)
    .toString();
  const lists = Object.fromEntries([...response.headers].map(([name, value]) => [canonicalName(name), [value]]));
  return { statusCode: response.status, body: text, headers: lists };
}

/** `content-type` as `Content-Type`, as Go has the names of headers. */
const canonicalName = (name: string): string => name.replace(/(^|-)([a-z])/g, text => text.toUpperCase());

function messageOf(thrown: unknown): string {
  const error = toError(thrown);
  const { cause } = error;
  return cause instanceof Error ? `${error.message}: ${cause.message}` : error.message;
}

function refusedAddresses(allowsLoopback: boolean): BlockList {
  const list = new BlockList();
  list.addSubnet('169.254.0.0', 16, 'ipv4');
  list.addSubnet('fe80::', 10, 'ipv6');
  list.addSubnet('10.0.0.0', 8, 'ipv4');
  list.addSubnet('172.16.0.0', 12, 'ipv4');
  list.addSubnet('192.168.0.0', 16, 'ipv4');
  list.addSubnet('100.64.0.0', 10, 'ipv4');
  list.addSubnet('fc00::', 7, 'ipv6');
  list.addSubnet('0.0.0.0', 8, 'ipv4');
  if (allowsLoopback) return list;
  list.addSubnet('127.0.0.0', 8, 'ipv4');
  list.addAddress('::1', 'ipv6');
  return list;
}

/** Connects only to addresses that are not refused, whatever names and redirects say. */
function createAgent(refused: BlockList, isVerified: boolean): Agent {
  const connect = buildConnector({ rejectUnauthorized: isVerified, lookup: guardedLookup(refused) });
  return new Agent({
    connect: (options, callback) => {
      const host = options.hostname.replace(/^\[|\]$/g, '');
      // Addresses are not looked up.
      if (isIP(host) !== 0 && isRefused(refused, host)) callback(notAllowed(host), null);
      else connect(options, callback);
    },
  });
}

const isRefused = (refused: BlockList, address: string): boolean =>
  refused.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');

const notAllowed = (host: string): Error => new Error(`the address of ${host} is not allowed`);

const guardedLookup =
  (refused: BlockList): LookupFunction =>
  (host, options, callback) => {
    lookup(host, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return callback(error, '', 4);
      const allowed = addresses.filter(({ address }) => !isRefused(refused, address));
      const [first] = allowed;
      if (first === undefined) return callback(notAllowed(host), '', 4);
      if (options.all === true) callback(null, allowed);
      else callback(null, first.address, first.family);
    });
  };
