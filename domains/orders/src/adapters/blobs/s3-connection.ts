import { ChandleryError } from '@chandlery/api';
import { AwsV4Signer } from 'aws4fetch';
import { type Dispatcher, request } from 'undici';

/** A bucket of an S3-compatible server. */
export interface S3Options {
  /** `https://s3.eu-central-1.amazonaws.com`, or that of another server. The bucket is the first part of the path. */
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Before all keys. Default `blobs/`. */
  readonly prefix?: string;
}

/** A request to the bucket. */
export interface S3Request {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'DELETE';
  /** Empty: the bucket itself. */
  readonly key: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: AsyncIterable<Uint8Array>;
}

type S3Response = Dispatcher.ResponseData;

/** The digest of no bytes, which signatures of requests without a body contain. */
const emptyDigest = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

/** Sends signed requests to a bucket. Bodies are streamed both ways. */
export class S3Connection {
  readonly #options: S3Options;

  constructor(options: S3Options) {
    this.#options = options;
  }

  /** Sends a request and returns a response of status 2xx, or one of `accepted`. Others are rejected with `Unavailable`. */
  async send(asked: S3Request, accepted: readonly number[] = []): Promise<S3Response> {
    const { method, body } = asked;
    const { url, headers } = await this.#sign(asked);
    const response = await request(url, { method, headers, ...(body === undefined ? {} : { body: toReadable(body) }) });
    const { statusCode } = response;
    if (statusCode < 300 || accepted.includes(statusCode)) return response;
    const text = (await response.body.text()).slice(0, 300);
    throw new ChandleryError(
      'Unavailable',
      `${method} ${url.pathname}: the object store answered ${statusCode} ${text}`,
    );
  }

  async #sign({
    method,
    key,
    query = {},
    headers = {},
  }: S3Request): Promise<{ url: URL; headers: Record<string, string> }> {
    const { endpoint, bucket, region, accessKeyId, secretAccessKey } = this.#options;
    const url = new URL(`${endpoint.replace(/\/$/, '')}/${bucket}/${key.split('/').map(encodeURIComponent).join('/')}`);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    const signed = await new AwsV4Signer({
      method,
      url: url.href,
      // The length is left out of the signature, since some proxies rewrite it; the digest covers the content.
      headers: { 'x-amz-content-sha256': emptyDigest, ...withoutLength(headers) },
      accessKeyId,
      secretAccessKey,
      region,
      service: 's3',
    }).sign();
    return { url: signed.url, headers: { ...headers, ...Object.fromEntries(signed.headers) } };
  }
}

const withoutLength = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => name !== 'content-length'));

/** Nothing is read from the content before the server has accepted the connection. */
const toReadable = (content: AsyncIterable<Uint8Array>): NonNullable<Dispatcher.DispatchOptions['body']> =>
  content as unknown as NonNullable<Dispatcher.DispatchOptions['body']>;
