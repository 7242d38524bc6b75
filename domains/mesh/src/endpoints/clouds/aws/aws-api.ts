import { cloudError } from '../cloud-errors.ts';
import { apiUrl, type CallCloud, type CloudResponse } from '../cloud-http.ts';
import { at, listOf, parseXml, textAt, type XmlValue } from '../xml/cloud-xml.ts';
import { domainOf, type SignAws } from './sign-aws.ts';

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

/** Calls an action; resolves with the root element. Rejects with an {@link AwsFault} or a cloud error. */
export type CallAws = (call: AwsCall, signal: AbortSignal) => Promise<XmlValue>;

export interface AwsApiOptions {
  readonly call: CallCloud;
  readonly sign: SignAws;
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

/** Makes the function that sends signed requests to the query APIs of AWS. */
export const createAwsApi =
  ({ call, sign, endpoint }: AwsApiOptions): CallAws =>
  async ({ service, region, action, parameters = {} }, signal) => {
    const url = apiUrl(endpoint, `${service}.${region}.${domainOf(region)}`);
    const body = new URLSearchParams({ Action: action, Version: versions[service], ...parameters }).toString();
    const headers = { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' };
    const response = await call(await sign({ service, region, url, headers, body }), signal);
    return interpret(await parse(response), response, `${service} ${action} in ${region}`);
  };

async function parse({ text, status }: CloudResponse): Promise<Readonly<Record<string, XmlValue>>> {
  try {
    return await parseXml(text);
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
