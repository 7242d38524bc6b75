import { cloudError } from '../cloud-errors.ts';
import { apiUrl, type CallCloud, type CloudResponse } from '../cloud-http.ts';

export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Of temporary credentials. Default: none. */
  readonly sessionToken?: string | undefined;
}

/** The services of AWS that are called, with the versions of their query APIs. */
const versions = {
  ec2: '2016-11-15',
  autoscaling: '2011-01-01',
  elasticloadbalancing: '2015-12-01',
  sts: '2011-06-15',
} as const;

export interface AwsCall {
  readonly service: keyof typeof versions;
  readonly region: string;
  readonly action: string;
  readonly parameters?: Readonly<Record<string, string>>;
}

/** An element of a response: text, elements by name, or a list of either. */
export type XmlValue = string | { readonly [name: string]: XmlValue } | readonly XmlValue[] | undefined;

/** Calls an action; resolves with the root element. Rejects with an {@link AwsFault} or a cloud error. */
export type CallAws = (call: AwsCall, signal: AbortSignal) => Promise<XmlValue>;

export interface AwsApiOptions {
  readonly call: CallCloud;
  /** Called for each request: temporary credentials are renewed by their source. */
  readonly credentials: () => Promise<AwsCredentials>;
  /** Of a test server. Default: the addresses of AWS. */
  readonly endpoint?: string;
}

/** An error that AWS returned. */
export class AwsFault extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** Makes the function that sends signed requests to the query APIs of AWS. The signing library is loaded with the first. */
export const createAwsApi =
  ({ call, credentials, endpoint }: AwsApiOptions): CallAws =>
  async ({ service, region, action, parameters = {} }, signal) => {
    const { AwsV4Signer } = await import('aws4fetch');
    const url = apiUrl(endpoint, `${service}.${region}.${domainOf(region)}`);
    const body = new URLSearchParams({ Action: action, Version: versions[service], ...parameters }).toString();
    const { accessKeyId, secretAccessKey, sessionToken } = await credentials();
    const signed = await new AwsV4Signer({
      ...{ method: 'POST', url: url.href, body, service, region, accessKeyId, secretAccessKey },
      headers: { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' },
      ...(sessionToken && { sessionToken }),
    }).sign();
    const headers = Object.fromEntries(signed.headers);
    const response = await call({ method: 'POST', url: signed.url, headers, body }, signal);
    return interpret(await parse(response), response, `${service} ${action} in ${region}`);
  };

const domainOf = (region: string): string => (region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com');

async function parse({ text, status }: CloudResponse): Promise<Readonly<Record<string, XmlValue>>> {
  const { parseXML } = await import('@aws-sdk/xml-builder');
  try {
    return parseXML(text) as Record<string, XmlValue>;
  } catch {
    throw cloudError('CloudUnreachable', `AWS sent a response (${status}) that is no XML`);
  }
}

function interpret(document: Readonly<Record<string, XmlValue>>, { status }: CloudResponse, what: string): XmlValue {
  const [[name = '', root] = []] = Object.entries(document);
  if (status < 300) return root;
  const error = name === 'Response' ? at(root, 'Errors', 'Error') : at(root, 'Error');
  const [first] = listOf(error);
  throw new AwsFault(textAt(first, 'Code') ?? `status ${status}`, `${what}: ${textAt(first, 'Message') ?? ''}`);
}

/** The element at a path; undefined when there is none. */
export function at(value: XmlValue, ...path: readonly string[]): XmlValue {
  return path.reduce<XmlValue>((parent, name) => (isElement(parent) ? parent[name] : undefined), value);
}

export function textAt(value: XmlValue, ...path: readonly string[]): string | undefined {
  const found = at(value, ...path);
  return typeof found === 'string' && found !== '' ? found : undefined;
}

/** The entries of a list, which may be missing or have one entry only. An empty list is read as an empty text. */
export function listOf(value: XmlValue): readonly XmlValue[] {
  if (isList(value)) return value;
  return value === undefined || value === '' ? [] : [value];
}

const isList = (value: XmlValue): value is readonly XmlValue[] => Array.isArray(value);

const isElement = (value: XmlValue): value is { readonly [name: string]: XmlValue } =>
  typeof value === 'object' && !Array.isArray(value);
